import t from 'tap'
import type { Client } from '../helper.js'
import { signalApp } from './helper.js'

interface Item { id: string, signal: { id: string }, assignment: { status: string } }

t.test('PUT and GET of startups, governments and contacts', async t => {
  const { admin } = await signalApp(t, [])
  t.test('startups: register, rename, list', async t => {
    const made = await admin.put('/govintel/startups/a:b_c.d-1', { name: 'Zeta' })
    t.equal(made.status, 200)
    t.match(made.json, { id: 'a:b_c.d-1', name: 'Zeta' })
    t.match((await admin.put('/govintel/startups/a:b_c.d-1', { name: 'Eta' })).json, { name: 'Eta', createdAt: made.json.createdAt })
    await admin.put(`/govintel/startups/${'x'.repeat(128)}`, { name: 'Alpha' })
    const list = await admin.get('/govintel/startups')
    t.match(list.json, { startups: [{ name: 'Alpha' }, { name: 'Eta' }], pagination: { page: 1, limit: 20, total: 2, totalPages: 1 } })
  })
  t.test('governments', async t => {
    t.match((await admin.put('/govintel/governments/gov-2', { name: 'Town' })).json, { id: 'gov-2', name: 'Town' })
    t.match((await admin.get('/govintel/governments')).json, { governments: [{ id: 'gov-1' }, { id: 'gov-2' }], pagination: { total: 2 } })
  })
  t.test('contacts: optional e-mail and role are absent when unknown; replaced as a whole', async t => {
    const made = await admin.put('/govintel/government-contacts/c-2', { governmentId: 'gov-2', name: 'Bo', email: 'bo@example.org', role: 'Mayor' })
    t.match(made.json, { id: 'c-2', governmentId: 'gov-2', name: 'Bo', email: 'bo@example.org', role: 'Mayor' })
    const replaced = await admin.put('/govintel/government-contacts/c-2', { governmentId: 'gov-1', name: 'Bo' })
    t.strictSame(Object.keys(replaced.json).sort(), ['createdAt', 'governmentId', 'id', 'name', 'updatedAt'])
    t.match((await admin.get('/govintel/government-contacts?limit=1')).json, { governmentContacts: [{ id: 'c-2' }], pagination: { total: 2, totalPages: 2 } })
  })
  t.test('an unknown government is 400; an id that cannot be one is 404', async t => {
    const answer = await admin.put('/govintel/government-contacts/c-3', { governmentId: 'nowhere', name: 'X' })
    t.equal(answer.status, 400)
    t.match(answer.json.message, /body\.governmentId .*nowhere/)
    for (const place of ['startups', 'governments', 'government-contacts']) {
      for (const id of ['ä', 'a%20b', 'a%2Fb', 'x'.repeat(129)]) {
        t.equal((await admin.put(`/govintel/${place}/${id}`, { name: 'X', governmentId: 'gov-1' })).status, 404, `${place}/${id.slice(0, 10)}`)
      }
    }
  })
})

t.test('create, list, read and edit signals', async t => {
  const { admin, create, startups } = await signalApp(t)
  const [aurora] = startups as [Client]
  const made = await admin.post('/govintel/signals', {
    title: 'A', description: 'B', visibilityLevel: 'national', solutionCategory: 'Mobility', governmentId: 'gov-1', governmentContactId: 'contact-1', status: 'accepted', further: 1
  })
  t.equal(made.status, 201)
  t.match(made.json, {
    title: 'A', description: 'B', status: 'signal_unassigned', approvalStatus: null, isPublic: false, isActive: true, isArchived: false, visibilityLevel: 'national', solutionCategory: 'Mobility', viewCount: 0, government: { id: 'gov-1' }, governmentContact: { id: 'contact-1' }, createdBy: 'admin-1', publishedAt: null, publishedBy: null
  }, 'unknown fields are ignored')
  const a = made.json.id
  const b = await create({ title: 'B' })
  const c = await create({ title: 'C', solutionCategory: 'Mobility' })
  await admin.post(`/govintel/signals/${b}/publish`)
  await admin.post(`/govintel/signals/${c}/archive`)
  const ids = async (query: string) => (await admin.get(`/govintel/signals${query}`)).json.signals.map((signal: Item) => signal.id)

  t.test('list filters', async t => {
    t.strictSame(await ids(''), [b, a], 'newest first, archived ones left out')
    t.strictSame(await ids('?isArchived=true'), [c])
    t.strictSame(await ids('?isArchived=false'), [b, a])
    t.strictSame(await ids('?status=archived'), [c])
    t.strictSame(await ids('?status=archived&isArchived=false'), [])
    t.strictSame(await ids('?status=signal_assigned'), [b])
    t.strictSame(await ids('?isPublic=true'), [b])
    t.strictSame(await ids('?isPublic=false'), [a])
    t.strictSame(await ids('?solutionCategory=Mobility'), [a])
    t.strictSame(await ids('?search=b'), [b, a])
    t.strictSame((await admin.get('/govintel/signals?page=7&limit=1')).json, { signals: [], pagination: { page: 7, limit: 1, total: 2, totalPages: 2 } })
  })

  t.test('read: the signal with assignments, contactRequests, connections and allowedActions', async t => {
    const { json } = await admin.get(`/govintel/signals/${a}`)
    t.match(json, { ...made.json, assignments: [], contactRequests: [], connections: [], allowedActions: ['assign', 'publish', 'archive'] })
  })

  t.test('PATCH: the given fields and isActive; what is absent stays', async t => {
    await admin.put('/govintel/governments/gov-2', { name: 'Town' })
    const answer = await admin.patch(`/govintel/signals/${a}`, { title: 'A2', governmentId: 'gov-2', isActive: false, status: 'accepted', isPublic: true })
    t.equal(answer.status, 200)
    t.match(answer.json, { title: 'A2', description: 'B', status: 'signal_unassigned', isPublic: false, isActive: false, government: { id: 'gov-2', name: 'Town' }, governmentContact: { id: 'contact-1' }, assignments: [] })
    t.ok(answer.json.updatedAt > made.json.updatedAt)
    t.match((await admin.patch(`/govintel/signals/${a}`, {})).json, { title: 'A2' }, 'an empty edit changes nothing')
    t.match((await admin.patch(`/govintel/signals/${a}`, { description: 'B2', visibilityLevel: 'v', solutionCategory: 's', governmentContactId: 'contact-1' })).json, { description: 'B2', visibilityLevel: 'v', solutionCategory: 's' })
    t.equal((await admin.patch('/govintel/signals/none', { title: 'x' })).status, 404)
    for (const field of ['governmentId', 'governmentContactId']) {
      const unknown = await admin.patch(`/govintel/signals/${a}`, { title: 'A3', [field]: 'nowhere' })
      t.equal(unknown.status, 400)
      t.match(unknown.json.message, new RegExp(`body\\.${field} .*nowhere`))
    }
    t.equal((await admin.get(`/govintel/signals/${a}`)).json.title, 'A2', 'a refused edit changes nothing')
  })

  t.test('texts come back byte for byte', async t => {
    const text = 'e\u0301 é \u200f שלום\r\n\t🚌 "quoted" \\ \u2028 ' + '字'.repeat(100)
    const id = await create({ title: text, description: text.repeat(50) })
    await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora'], notes: text })
    const { assignment } = (await aurora.post(`/startup/signals/${id}/accept`, { notes: text })).json
    t.equal(assignment.notes, text)
    const { json } = await admin.get(`/govintel/signals/${id}`)
    t.equal(json.title, text)
    t.equal(json.description, text.repeat(50))
    t.equal((await admin.get(`/govintel/signals/${id}/status-history`)).json[2].notes, text)
  })
})

t.test('inbox, contact requests and connections', async t => {
  const { admin, startups, create } = await signalApp(t)
  const [aurora, boreal] = startups as [Client, Client]
  const direct = await create({ title: 'direct' })
  await admin.post(`/govintel/signals/${direct}/assign`, { startupIds: ['aurora', 'boreal'] })
  const pool = await create({ title: 'pool' })
  await admin.post(`/govintel/signals/${pool}/publish`)
  await aurora.post(`/signal-pool/${pool}/accept`)
  const archived = await create({ title: 'archived' })
  await admin.post(`/govintel/signals/${archived}/assign`, { startupIds: ['aurora'] })
  await admin.post(`/govintel/signals/${archived}/archive`)
  await boreal.post(`/startup/signals/${direct}/decline`, { reason: 'no' })

  await t.test('GET /startup/signals', async t => {
    const ids = async (client: Client, query = '') => (await client.get(`/startup/signals${query}`)).json.items.map((item: Item) => item.signal.id)
    t.strictSame(await ids(aurora), [pool, direct])
    t.strictSame(await ids(aurora, '?archived=false'), [pool, direct])
    t.strictSame(await ids(aurora, '?archived=true'), [archived], 'archived signals only with archived=true')
    t.strictSame(await ids(aurora, '?status=accepted'), [pool], 'status is the signal\'s')
    t.strictSame(await ids(aurora, '?assignmentStatus=assigned'), [direct])
    t.strictSame(await ids(aurora, '?assignmentType=pool'), [pool])
    t.strictSame(await ids(boreal, '?assignmentStatus=declined'), [direct])
    t.strictSame(await ids(startups[2] as Client), [])
    const page = (await aurora.get('/startup/signals?limit=1')).json
    t.strictSame(page.pagination, { page: 1, limit: 1, total: 2, totalPages: 2 })
    t.match(page.items, [{ assignment: { signalId: pool, startupId: 'aurora', assignmentType: 'pool', status: 'accepted' }, signal: { id: pool, title: 'pool', government: null } }])
    t.strictSame(Object.keys(page.items[0]), ['assignment', 'signal'])
  })

  await t.test('GET /startup/signals/:signalId: 404 unless assigned to the caller or in the pool', async t => {
    t.match((await aurora.get(`/startup/signals/${direct}`)).json, { assignment: { status: 'assigned' }, signal: { id: direct } })
    t.match((await aurora.get(`/startup/signals/${archived}`)).json, { assignment: { status: 'assigned' }, signal: { isArchived: true } })
    t.match((await boreal.get(`/startup/signals/${pool}`)).json, { assignment: null, signal: { id: pool } })
    t.match((await boreal.get(`/startup/signals/${direct}`)).json, { assignment: { status: 'declined' } })
    for (const id of [archived, 'none', await create()]) t.equal((await boreal.get(`/startup/signals/${id}`)).status, 404)
  })

  const asked = (await aurora.post(`/startup/signals/${pool}/request-contact`, { requestSource: 'pool' })).json.contactRequest
  await aurora.post(`/startup/signals/${direct}/accept`)
  const second = (await aurora.post(`/startup/signals/${direct}/request-contact`, { requestSource: 'direct' })).json.contactRequest
  const approved = (await admin.post(`/contact-requests/${asked.id}/approve`)).json

  await t.test('GET /contact-requests and /contact-requests/:id', async t => {
    const ids = async (query: string) => (await admin.get(`/contact-requests${query}`)).json.contactRequests.map((row: Item) => row.id)
    t.strictSame(await ids(''), [second.id, asked.id])
    t.strictSame(await ids('?status=approved'), [asked.id])
    t.strictSame(await ids('?requestSource=direct'), [second.id])
    t.strictSame(await ids(`?signalId=${pool}`), [asked.id])
    t.strictSame(await ids('?signalId=none'), [], 'an unknown id in a filter gives an empty list')
    t.strictSame(await ids(`?signalId=${asked.id}`), [])
    t.strictSame((await admin.get('/contact-requests?page=9')).json.pagination, { page: 9, limit: 20, total: 2, totalPages: 1 })
    t.strictSame((await admin.get(`/contact-requests/${asked.id}`)).json, approved.contactRequest)
    t.equal((await admin.get('/contact-requests/none')).status, 404)
    t.equal((await admin.get(`/contact-requests/${pool}`)).status, 404)
  })

  await t.test('GET /startup/contact-requests: own ones', async t => {
    t.equal((await aurora.get('/startup/contact-requests?status=pending')).json.pagination.total, 1)
    t.equal((await boreal.get('/startup/contact-requests')).json.pagination.total, 0)
    t.equal((await boreal.get(`/startup/contact-requests?signalId=${pool}`)).json.pagination.total, 0)
  })

  await t.test('GET /connections: all for an admin, own for a startup', async t => {
    t.strictSame((await admin.get('/connections')).json, { connections: [approved.connection], pagination: { page: 1, limit: 20, total: 1, totalPages: 1 } })
    t.strictSame((await aurora.get('/connections')).json.connections, [approved.connection])
    t.strictSame((await boreal.get('/connections')).json.connections, [])
  })
})
