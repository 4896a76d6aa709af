import t, { type Test } from 'tap'
import type { Answer, Client } from '../helper.js'
import { type SignalApp, signalApp } from './helper.js'

/** A refused transition: 409 with exactly the fields of the contract, and nothing changed. */
function refused (t: Test, answer: Answer, action: string, status: string): void {
  t.equal(answer.status, 409)
  t.strictSame(Object.keys(answer.json).sort(), ['allowedActions', 'currentStatus', 'error', 'message', 'statusCode'])
  t.match(answer.json, { statusCode: 409, error: 'Conflict', message: `Cannot ${action} a signal in status '${status}'`, currentStatus: status })
}

async function assigned (app: SignalApp, ...startupIds: string[]): Promise<string> {
  const id = await app.create()
  await app.admin.post(`/govintel/signals/${id}/assign`, { startupIds })
  return id
}

async function published (app: SignalApp): Promise<string> {
  const id = await app.create()
  await app.admin.post(`/govintel/signals/${id}/publish`)
  return id
}

async function pending (app: SignalApp): Promise<{ id: string, requestId: string }> {
  const [aurora] = app.startups as [Client]
  const id = await assigned(app, 'aurora')
  await aurora.post(`/startup/signals/${id}/accept`)
  const answer = await aurora.post(`/startup/signals/${id}/request-contact`, { requestSource: 'direct', message: 'May we?' })
  return { id, requestId: answer.json.contactRequest.id }
}

t.test('the rows of the specification', async t => {
  const app = await signalApp(t)
  const { admin, create, detail, history } = app
  const [aurora, boreal] = app.startups as [Client, Client]

  t.test('signal_unassigned | admin assign', async t => {
    const id = await create()
    const answer = await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora', 'boreal', 'aurora'], notes: 'Please look' })
    t.equal(answer.status, 200)
    t.strictSame(Object.keys(answer.json).sort(), ['assignments', 'signal', 'success'])
    t.match(answer.json, { success: true, signal: { id, status: 'signal_assigned', isPublic: false } })
    t.match(answer.json.assignments, [
      { signalId: id, startupId: 'aurora', assignmentType: 'direct', status: 'assigned', assignedBy: 'admin-1', notes: 'Please look', reason: null, respondedAt: null },
      { startupId: 'boreal' }
    ])
    t.equal(answer.json.assignments.length, 2, 'duplicates collapse')
    const inbox = await aurora.get('/startup/signals?assignmentStatus=assigned')
    t.ok(inbox.json.items.some((item: { signal: { id: string } }) => item.signal.id === id), 'new in the inbox of the startup')
    t.match((await history(id))[1], { action: 'assign', fromStatus: 'signal_unassigned', toStatus: 'signal_assigned', actorId: 'admin-1', actorRole: 'admin', notes: 'Please look' })
  })

  t.test('signal_unassigned | admin publish to pool', async t => {
    const id = await create({ visibilityLevel: 'local' })
    const answer = await admin.post(`/govintel/signals/${id}/publish`, { visibilityLevel: 'national', notes: 'For all' })
    t.equal(answer.status, 200)
    t.match(answer.json, { success: true, signal: { status: 'signal_assigned', isPublic: true, visibilityLevel: 'national', publishedBy: 'admin-1' } })
    t.ok(Math.abs(Date.now() - Date.parse(answer.json.signal.publishedAt)) < 60_000)
    for (const startup of app.startups) t.equal((await startup.get('/signal-pool')).json.signals[0].id, id, 'in the pool for all startups')
    t.match((await history(id))[1], { action: 'publish', notes: 'For all' })
  })

  t.test('signal_assigned | startup accept (direct assignment)', async t => {
    const id = await assigned(app, 'aurora')
    const answer = await aurora.post(`/startup/signals/${id}/accept`, { notes: 'Gladly' })
    t.equal(answer.status, 200)
    t.match(answer.json, { success: true, signal: { status: 'accepted' }, assignment: { startupId: 'aurora', status: 'accepted', notes: 'Gladly' } })
    t.ok(answer.json.assignment.respondedAt)
    t.match((await history(id))[2], { action: 'accept', actorId: 'user-aurora', actorRole: 'startup', startupId: 'aurora', notes: 'Gladly' })
  })

  t.test('signal_assigned | startup accept from pool', async t => {
    const id = await published(app)
    const answer = await boreal.post(`/signal-pool/${id}/accept`, { justification: 'Our field' })
    t.equal(answer.status, 201)
    t.match(answer.json, { success: true, signal: { status: 'accepted', isPublic: true }, assignment: { startupId: 'boreal', assignmentType: 'pool', status: 'accepted', assignedBy: null, notes: 'Our field' } })
    t.match((await history(id))[2], { action: 'pool_accept', startupId: 'boreal', notes: 'Our field' })
  })

  t.test('accepted | startup request contact', async t => {
    for (const source of ['direct', 'pool']) {
      const id = source === 'direct' ? await assigned(app, 'aurora') : await published(app)
      await aurora.post(source === 'direct' ? `/startup/signals/${id}/accept` : `/signal-pool/${id}/accept`)
      const answer = await aurora.post(`/startup/signals/${id}/request-contact`, { requestSource: source, message: 'May we?' })
      t.equal(answer.status, 201)
      t.match(answer.json, {
        success: true,
        signal: { status: 'contact_request_pending', approvalStatus: 'pending' },
        contactRequest: { signalId: id, startupId: 'aurora', requestSource: source, status: 'pending', approvalStatus: 'pending', message: 'May we?', requestedBy: 'user-aurora', reviewedBy: null, connectionId: null, reviewedAt: null }
      })
      t.notOk('reviewNotes' in answer.json.contactRequest, 'an optional field is absent')
      t.match((await history(id))[3], { action: 'request_contact', startupId: 'aurora', notes: 'May we?' })
    }
  })

  t.test('contact_request_pending | admin approve', async t => {
    const { id, requestId } = await pending(app)
    const answer = await admin.post(`/contact-requests/${requestId}/approve`, { decision: 'approved', reviewNotes: 'A fit' })
    t.equal(answer.status, 200)
    t.match(answer.json, {
      success: true,
      signal: { status: 'contact_request_approved', approvalStatus: 'approved' },
      contactRequest: { id: requestId, status: 'approved', approvalStatus: 'approved', reviewedBy: 'admin-1', reviewNotes: 'A fit' },
      connection: { signalId: id, startupId: 'aurora', contactRequestId: requestId }
    })
    t.equal(answer.json.contactRequest.connectionId, answer.json.connection.id, 'linked through connectionId')
    t.strictSame((await detail(id)).connections, [answer.json.connection])
    t.match((await history(id))[4], { action: 'approve_contact', actorRole: 'admin', startupId: 'aurora', notes: 'A fit' })
    refused(t, await admin.post(`/contact-requests/${requestId}/approve`), 'approve_contact', 'contact_request_approved')
    refused(t, await admin.post(`/contact-requests/${requestId}/reject`, { reviewNotes: 'No' }), 'reject_contact', 'contact_request_approved')
  })

  t.test('contact_request_pending | admin reject', async t => {
    const { id, requestId } = await pending(app)
    const answer = await admin.post(`/contact-requests/${requestId}/reject`, { decision: 'rejected', reviewNotes: 'No budget' })
    t.equal(answer.status, 200)
    t.match(answer.json, { success: true, signal: { status: 'contact_request_rejected', approvalStatus: 'rejected' }, contactRequest: { status: 'rejected', reviewNotes: 'No budget', connectionId: null } })
    t.notOk('connection' in answer.json)
    const own = await aurora.get(`/startup/contact-requests?signalId=${id}`)
    t.match(own.json.contactRequests, [{ id: requestId, status: 'rejected', reviewNotes: 'No budget' }], 'the startup can see the rejection')
    t.match((await history(id))[4], { action: 'reject_contact', notes: 'No budget' })
  })

  t.test('any | admin archive, and unarchive restores exactly the prior status', async t => {
    const ways: Record<string, () => Promise<string>> = {
      signal_unassigned: create,
      signal_assigned: () => published(app),
      accepted: async () => {
        const id = await published(app)
        await aurora.post(`/signal-pool/${id}/accept`)
        return id
      },
      contact_request_pending: async () => (await pending(app)).id,
      contact_request_approved: async () => {
        const { id, requestId } = await pending(app)
        await admin.post(`/contact-requests/${requestId}/approve`)
        return id
      },
      contact_request_rejected: async () => {
        const { id, requestId } = await pending(app)
        await admin.post(`/contact-requests/${requestId}/reject`, { reviewNotes: 'No' })
        return id
      }
    }
    for (const [status, reach] of Object.entries(ways)) {
      const id = await reach()
      const before = await detail(id)
      t.equal(before.status, status)
      const archived = await admin.post(`/govintel/signals/${id}/archive`, { notes: 'Done' })
      t.equal(archived.status, 200)
      t.match(archived.json, { success: true, signal: { status: 'archived', isArchived: true, isPublic: before.isPublic, approvalStatus: before.approvalStatus } }, `from ${status}`)
      t.notOk((await admin.get('/govintel/signals?limit=100')).json.signals.some((signal: { id: string }) => signal.id === id), 'not in active views')
      t.notOk((await boreal.get('/signal-pool?limit=100')).json.signals.some((signal: { id: string }) => signal.id === id), 'not in the pool')
      refused(t, await admin.post(`/govintel/signals/${id}/archive`), 'archive', 'archived')
      const back = await admin.post(`/govintel/signals/${id}/unarchive`, { notes: 'Not yet' })
      t.equal(back.status, 200)
      const { updatedAt: _, ...restored } = back.json.signal
      t.match(before, restored, `back to ${status}`)
      refused(t, await admin.post(`/govintel/signals/${id}/unarchive`), 'unarchive', status)
      t.match((await history(id)).slice(-2), [{ action: 'archive', notes: 'Done' }, { action: 'unarchive', toStatus: status, notes: 'Not yet' }])
    }
  })
})

t.test('the rows of the contract', async t => {
  const app = await signalApp(t)
  const { admin, create, detail, history } = app
  const [aurora, boreal, cirrus] = app.startups as [Client, Client, Client]

  t.test('Invalid transition: the exact body, and nothing changed', async t => {
    const id = await create()
    await admin.post(`/govintel/signals/${id}/archive`)
    const answer = await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora'] })
    t.equal(answer.status, 409)
    t.strictSame(answer.json, {
      statusCode: 409,
      error: 'Conflict',
      message: "Cannot assign a signal in status 'archived'",
      currentStatus: 'archived',
      allowedActions: ['unarchive']
    })
    t.equal((await history(id)).length, 2)
    t.strictSame((await detail(id)).assignments, [])
  })

  t.test('assign, publish: only from signal_unassigned', async t => {
    for (const id of [await assigned(app, 'aurora'), await published(app)]) {
      refused(t, await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['boreal'] }), 'assign', 'signal_assigned')
      refused(t, await admin.post(`/govintel/signals/${id}/publish`), 'publish', 'signal_assigned')
    }
  })

  t.test('assign body: any unknown startup is 400 and nothing is created', async t => {
    const id = await create()
    const answer = await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora', 'nobody', 'boreal'] })
    t.equal(answer.status, 400)
    t.match(answer.json.message, /body\.startupIds .*nobody/)
    t.match(await detail(id), { status: 'signal_unassigned', assignments: [] })
    t.equal((await history(id)).length, 1)
  })

  t.test('unpublish: falls back to signal_unassigned when nobody took it up', async t => {
    const id = await published(app)
    const answer = await admin.post(`/govintel/signals/${id}/unpublish`, {})
    t.equal(answer.status, 200)
    t.match(answer.json, { success: true, signal: { status: 'signal_unassigned', isPublic: false } })
    refused(t, await admin.post(`/govintel/signals/${id}/unpublish`, {}), 'unpublish', 'signal_unassigned')
    t.equal((await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora'] })).status, 200, 'and may be assigned again')
    refused(t, await admin.post(`/govintel/signals/${id}/unpublish`), 'unpublish', 'signal_assigned')
  })

  t.test('unpublish: later statuses stay, with a row in the history', async t => {
    const id = await published(app)
    await aurora.post(`/signal-pool/${id}/accept`)
    const answer = await admin.post(`/govintel/signals/${id}/unpublish`)
    t.match(answer.json, { success: true, signal: { status: 'accepted', isPublic: false } })
    t.match((await history(id)).at(-1), { action: 'unpublish', fromStatus: 'accepted', toStatus: 'accepted' })
  })

  t.test('unpublish: archived is 409, though isPublic is kept', async t => {
    const id = await published(app)
    await admin.post(`/govintel/signals/${id}/archive`)
    refused(t, await admin.post(`/govintel/signals/${id}/unpublish`), 'unpublish', 'archived')
  })

  t.test('decline: with others open the status stays, with the last it falls back', async t => {
    const id = await assigned(app, 'aurora', 'boreal')
    const first = await aurora.post(`/startup/signals/${id}/decline`, { reason: 'No time' })
    t.equal(first.status, 200)
    t.match(first.json, { success: true, signal: { status: 'signal_assigned' }, assignment: { status: 'declined', reason: 'No time' } })
    t.match((await history(id)).at(-1), { action: 'decline', fromStatus: 'signal_assigned', toStatus: 'signal_assigned', startupId: 'aurora', notes: 'No time' })
    const last = await boreal.post(`/startup/signals/${id}/decline`)
    t.match(last.json, { signal: { status: 'signal_unassigned' }, assignment: { status: 'declined', reason: null } })
  })

  t.test('decline: no assignment of the caller is 404, after its acceptance 409', async t => {
    const id = await assigned(app, 'aurora')
    t.equal((await boreal.post(`/startup/signals/${id}/decline`)).status, 404)
    await aurora.post(`/startup/signals/${id}/accept`)
    refused(t, await aurora.post(`/startup/signals/${id}/decline`), 'decline', 'accepted')
  })

  t.test('accept: a caller never assigned is 404, also when the signal is in the pool', async t => {
    t.equal((await boreal.post(`/startup/signals/${await assigned(app, 'aurora')}/accept`)).status, 404)
    t.equal((await boreal.post(`/startup/signals/${await published(app)}/accept`)).status, 404)
  })

  t.test('accept: an assignment already declined is 409, until an admin assigns again', async t => {
    const id = await assigned(app, 'aurora', 'boreal')
    await aurora.post(`/startup/signals/${id}/decline`)
    refused(t, await aurora.post(`/startup/signals/${id}/accept`), 'accept', 'signal_assigned')
    refused(t, await aurora.post(`/startup/signals/${id}/decline`), 'decline', 'signal_assigned')
    await boreal.post(`/startup/signals/${id}/decline`)
    refused(t, await aurora.post(`/startup/signals/${id}/accept`), 'accept', 'signal_unassigned')
    await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora'] })
    t.equal((await aurora.post(`/startup/signals/${id}/accept`)).status, 200)
    t.strictSame((await detail(id)).assignments.map((row: { status: string }) => row.status), ['declined', 'declined', 'accepted'])
  })

  t.test('accept by one of several assigned startups: the others become superseded', async t => {
    const id = await assigned(app, 'aurora', 'boreal', 'cirrus')
    await cirrus.post(`/startup/signals/${id}/decline`)
    await aurora.post(`/startup/signals/${id}/accept`)
    t.strictSame((await detail(id)).assignments.map((row: { status: string }) => row.status), ['accepted', 'superseded', 'declined'])
    refused(t, await boreal.post(`/startup/signals/${id}/accept`), 'accept', 'accepted')
    refused(t, await boreal.post(`/startup/signals/${id}/decline`), 'decline', 'accepted')
  })

  t.test('pool accept: a signal not in the pool is 404', async t => {
    const archived = await published(app)
    await admin.post(`/govintel/signals/${archived}/archive`)
    const inactive = await published(app)
    await admin.patch(`/govintel/signals/${inactive}`, { isActive: false })
    for (const id of [await create(), await assigned(app, 'boreal'), archived, inactive]) {
      t.equal((await aurora.post(`/signal-pool/${id}/accept`)).status, 404)
    }
  })

  t.test('request-contact: before anyone accepted 409, by another startup 403, with another source 400', async t => {
    const id = await assigned(app, 'aurora', 'boreal')
    const ask = async (startup: Client, requestSource: string) => await startup.post(`/startup/signals/${id}/request-contact`, { requestSource })
    refused(t, await ask(aurora, 'direct'), 'request_contact', 'signal_assigned')
    await aurora.post(`/startup/signals/${id}/accept`)
    t.equal((await ask(boreal, 'direct')).status, 403)
    t.equal((await ask(cirrus, 'direct')).status, 403)
    const wrong = await ask(aurora, 'pool')
    t.equal(wrong.status, 400)
    t.match(wrong.json.message, /body\.requestSource/)
    t.equal((await ask(aurora, 'direct')).status, 201)
    refused(t, await ask(aurora, 'direct'), 'request_contact', 'contact_request_pending')
    t.equal((await detail(id)).contactRequests.length, 1)
  })

  t.test('after a rejection the same startup may request again, and the old request stays closed', async t => {
    const { id, requestId } = await pending(app)
    await admin.post(`/contact-requests/${requestId}/reject`, { reviewNotes: 'Not now' })
    t.equal((await boreal.post(`/startup/signals/${id}/request-contact`, { requestSource: 'direct' })).status, 403)
    const again = await aurora.post(`/startup/signals/${id}/request-contact`, { requestSource: 'direct' })
    t.equal(again.status, 201)
    t.not(again.json.contactRequest.id, requestId)
    refused(t, await admin.post(`/contact-requests/${requestId}/approve`), 'approve_contact', 'contact_request_pending')
    t.strictSame((await detail(id)).connections, [], 'nothing was made')
    t.equal((await admin.post(`/contact-requests/${again.json.contactRequest.id}/approve`)).status, 200)
    t.strictSame((await detail(id)).contactRequests.map((row: { status: string }) => row.status), ['rejected', 'approved'])
  })

  t.test('approve / reject: a pending request of an archived signal is 409, and pending again afterwards', async t => {
    const { id, requestId } = await pending(app)
    await admin.post(`/govintel/signals/${id}/archive`)
    refused(t, await admin.post(`/contact-requests/${requestId}/approve`), 'approve_contact', 'archived')
    await admin.post(`/govintel/signals/${id}/unarchive`)
    t.equal((await admin.post(`/contact-requests/${requestId}/approve`, {})).status, 200, 'decision may be absent')
  })

  t.test('allowedActions is what status and flag permit', async t => {
    const id = await published(app)
    t.strictSame((await detail(id)).allowedActions, ['unpublish', 'accept', 'pool_accept', 'decline', 'archive'])
    t.strictSame((await detail(await create())).allowedActions, ['assign', 'publish', 'archive'])
    t.strictSame((await detail(await assigned(app, 'aurora'))).allowedActions, ['accept', 'decline', 'archive'])
  })
})
