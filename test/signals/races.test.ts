import t from 'tap'
import type { Answer, Client } from '../helper.js'
import { testApp } from '../helper.js'
import { signalApp, unbroken } from './helper.js'

const codes = (answers: Answer[]) => answers.map(answer => answer.status).sort()

t.test('100 startups accept one pool signal: one 201, 99 x 409, one assignment, one history row', async t => {
  const names = Array.from({ length: 100 }, (_, index) => `racer-${index}`)
  const { admin, startups, create, detail, history } = await signalApp(t, names)
  const id = await create()
  await admin.post(`/govintel/signals/${id}/publish`)
  const answers = await Promise.all(startups.map(async startup => await startup.post(`/signal-pool/${id}/accept`)))
  t.strictSame(codes(answers), [201, ...Array<number>(99).fill(409)])
  const { assignments } = await detail(id)
  t.equal(assignments.length, 1)
  t.equal(assignments[0].startupId, answers.find(answer => answer.status === 201)?.json.assignment.startupId)
  t.equal((await history(id)).filter((row: { action: string }) => row.action === 'pool_accept').length, 1)

  t.test('1000 views, 100 at a time, count exactly', async t => {
    await Promise.all(startups.map(async startup => {
      for (let view = 0; view < 10; view++) t.equal((await startup.post(`/signal-pool/${id}/view`)).status, 200)
    }))
    t.equal((await detail(id)).viewCount, 1000)
  })
})

t.test('all assigned startups accept at once, on two instances: one wins, the others are superseded', async t => {
  const names = Array.from({ length: 20 }, (_, index) => `racer-${index}`)
  const app = await signalApp(t, names)
  const other = await testApp(t, { url: app.url })
  const id = await app.create()
  await app.admin.post(`/govintel/signals/${id}/assign`, { startupIds: names })
  const answers = await Promise.all(names.map(async (name, index) => {
    const client = index % 2 === 0 ? app.startups[index] as Client : await other.as({ sub: `user-${name}`, startupId: name })
    return await client.post(`/startup/signals/${id}/accept`)
  }))
  t.strictSame(codes(answers), [200, ...Array<number>(19).fill(409)])
  const statuses = (await app.detail(id)).assignments.map((row: { status: string }) => row.status).sort()
  t.strictSame(statuses, ['accepted', ...Array<string>(19).fill('superseded')])
})

t.test('approve against reject: one of them, and a connection exactly when it is the approval', async t => {
  const { admin, startups, create, detail, history } = await signalApp(t)
  const [aurora] = startups as [Client]
  for (let round = 0; round < 20; round++) {
    const id = await create()
    await admin.post(`/govintel/signals/${id}/publish`)
    await aurora.post(`/signal-pool/${id}/accept`)
    const { contactRequest } = (await aurora.post(`/startup/signals/${id}/request-contact`, { requestSource: 'pool' })).json
    const approve = async () => await admin.post(`/contact-requests/${contactRequest.id}/approve`)
    const reject = async () => await admin.post(`/contact-requests/${contactRequest.id}/reject`, { reviewNotes: 'No' })
    const order = round % 2 === 0 ? [approve, reject, approve] : [reject, approve, reject]
    const answers = await Promise.all(order.map(async act => await act()))
    t.strictSame(codes(answers), [200, 409, 409])
    const signal = await detail(id)
    t.equal(signal.connections.length, signal.status === 'contact_request_approved' ? 1 : 0)
    t.equal(signal.contactRequests[0].status, signal.approvalStatus)
    unbroken(t, await history(id))
  }
})

t.test('archive against accept: both orders are legal, no other outcome', async t => {
  const { admin, startups, create, detail, history } = await signalApp(t)
  const [aurora] = startups as [Client]
  for (let round = 0; round < 20; round++) {
    const id = await create()
    await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora'] })
    const accept = async () => await aurora.post(`/startup/signals/${id}/accept`)
    const archive = async () => await admin.post(`/govintel/signals/${id}/archive`)
    const [first, second] = await Promise.all(round % 2 === 0 ? [accept(), archive()] : [archive(), accept()]) as [Answer, Answer]
    const [accepted, archived] = round % 2 === 0 ? [first, second] : [second, first]
    t.equal(archived.status, 200)
    t.ok([200, 409].includes(accepted.status))
    t.match(await detail(id), { status: 'archived', assignments: [{ status: accepted.status === 200 ? 'accepted' : 'assigned' }] })
    t.equal((await admin.post(`/govintel/signals/${id}/unarchive`)).json.signal.status, accepted.status === 200 ? 'accepted' : 'signal_assigned')
    unbroken(t, await history(id))
  }
})

t.test('a storm of random actions leaves unbroken histories that end at the status', async t => {
  const { admin, startups, create, detail, history, database } = await signalApp(t)
  const ids = await Promise.all(Array.from({ length: 4 }, async () => await create()))
  let seed = 20261121
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor(seed / 65536) % below
  }
  const act = async (): Promise<Answer> => {
    const id = ids[random(ids.length)] as string
    const startup = startups[random(startups.length)] as Client
    switch (random(12)) {
      case 0: return await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora', 'boreal', 'cirrus'].slice(random(3)) })
      case 1: return await admin.post(`/govintel/signals/${id}/publish`)
      case 2: return await admin.post(`/govintel/signals/${id}/unpublish`)
      case 3: return await admin.post(`/govintel/signals/${id}/archive`)
      case 4: case 5: return await admin.post(`/govintel/signals/${id}/unarchive`)
      case 6: return await startup.post(`/startup/signals/${id}/accept`)
      case 7: return await startup.post(`/startup/signals/${id}/decline`)
      case 8: return await startup.post(`/signal-pool/${id}/accept`)
      case 9: return await startup.post(`/startup/signals/${id}/request-contact`, { requestSource: random(2) === 0 ? 'direct' : 'pool' })
      default: {
        const requests = (await admin.get(`/contact-requests?signalId=${id}&status=pending`)).json.contactRequests
        if (requests.length === 0) return await admin.get(`/govintel/signals/${id}`)
        return random(3) === 0
          ? await admin.post(`/contact-requests/${requests[0].id}/approve`)
          : await admin.post(`/contact-requests/${requests[0].id}/reject`, { reviewNotes: 'No' })
      }
    }
  }
  const seen = new Set<number>()
  for (let wave = 0; wave < 30; wave++) {
    for (const answer of await Promise.all(Array.from({ length: 16 }, act))) seen.add(answer.status)
  }
  t.strictSame([...seen].filter(code => ![200, 201, 400, 403, 404, 409].includes(code)), [])
  for (const id of ids) {
    const signal = await detail(id)
    const rows = await history(id)
    t.comment(`${rows.length} rows, ends ${signal.status}`)
    unbroken(t, rows)
    t.equal(rows.at(-1).toStatus, signal.status)
    t.ok(signal.assignments.filter((row: { status: string }) => row.status === 'accepted').length <= 1)
    t.ok(signal.contactRequests.filter((row: { status: string }) => row.status === 'pending').length <= 1)
    t.equal(signal.connections.length, signal.contactRequests.filter((row: { status: string }) => row.status === 'approved').length)
  }
  const positions = await database.db.selectFrom('signal_status_history').select(['signal_id', 'position', 'created_at']).orderBy('position').execute()
  for (const id of ids) {
    const times = positions.filter(row => row.signal_id === id).map(row => row.created_at)
    t.strictSame(times, [...times].sort(), 'the order of the rows is that of their times')
  }
})
