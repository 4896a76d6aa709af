import t from 'tap'
import type { Client } from '../helper.js'
import { signalApp } from './helper.js'

const long = (length: number) => '字'.repeat(length)

t.test('bad bodies are 400 and name the field; nothing is created', async t => {
  const { admin, startups, create, detail, history } = await signalApp(t)
  const [aurora] = startups as [Client]
  const signal = { title: 'T', description: 'D' }
  const bad: Array<[Client, 'post' | 'put' | 'patch', string, unknown, string]> = [
    [admin, 'post', '/govintel/signals', undefined, 'body'],
    [admin, 'post', '/govintel/signals', { description: 'D' }, 'title'],
    [admin, 'post', '/govintel/signals', { ...signal, title: '' }, 'title'],
    [admin, 'post', '/govintel/signals', { ...signal, title: long(301) }, 'title'],
    [admin, 'post', '/govintel/signals', { ...signal, title: 5 }, 'title'],
    [admin, 'post', '/govintel/signals', { ...signal, title: 'a\0b' }, 'title'],
    [admin, 'post', '/govintel/signals', { ...signal, title: 'a\ud800b' }, 'title'],
    [admin, 'post', '/govintel/signals', { ...signal, description: long(20_001) }, 'description'],
    [admin, 'post', '/govintel/signals', { ...signal, visibilityLevel: long(101) }, 'visibilityLevel'],
    [admin, 'post', '/govintel/signals', { ...signal, visibilityLevel: null }, 'visibilityLevel'],
    [admin, 'post', '/govintel/signals', { ...signal, solutionCategory: '' }, 'solutionCategory'],
    [admin, 'post', '/govintel/signals', { ...signal, governmentId: 'nowhere' }, 'governmentId'],
    [admin, 'post', '/govintel/signals', { ...signal, governmentId: 'not an id!' }, 'governmentId'],
    [admin, 'post', '/govintel/signals', { ...signal, governmentContactId: 'nobody' }, 'governmentContactId'],
    [admin, 'put', '/govintel/startups/s', { name: '' }, 'name'],
    [admin, 'put', '/govintel/startups/s', { name: long(301) }, 'name'],
    [admin, 'put', '/govintel/governments/g', {}, 'name'],
    [admin, 'put', '/govintel/government-contacts/c', { governmentId: 'gov-1', name: 'N', email: long(321) }, 'email'],
    [admin, 'put', '/govintel/government-contacts/c', { name: 'N' }, 'governmentId']
  ]
  for (const [client, method, url, body, field] of bad) {
    const answer = await client[method](url, body)
    t.equal(answer.status, 400, `${url} ${JSON.stringify(body)?.slice(0, 60)}`)
    t.strictSame(Object.keys(answer.json), ['statusCode', 'error', 'message'])
    t.match(answer.json, { statusCode: 400, error: 'Bad Request' })
    t.ok(answer.json.message.includes(field), answer.json.message)
  }
  t.equal((await admin.get('/govintel/signals')).json.pagination.total, 0)
  t.equal((await admin.get('/govintel/startups')).json.pagination.total, 3)

  const longest = await admin.post('/govintel/signals', { title: '🚌'.repeat(300), description: '🚌'.repeat(20_000), visibilityLevel: long(100) })
  t.equal(longest.status, 201, 'a character is a code point')

  t.test('assign', async t => {
    const id = await create()
    const bodies = [
      undefined, {}, { startupIds: [] }, { startupIds: 'aurora' }, { startupIds: [5] }, { startupIds: [''] }, { startupIds: null },
      { startupIds: Array.from({ length: 101 }, () => 'aurora') }, { startupIds: Array.from({ length: 10_000 }, (_, index) => `s-${index}`) },
      { startupIds: ['a\0'] }, { startupIds: ['ä ö'] }, { startupIds: ['aurora'], notes: null }, { startupIds: ['aurora'], notes: long(4001) }
    ]
    for (const body of bodies) {
      const answer = await admin.post(`/govintel/signals/${id}/assign`, body)
      t.equal(answer.status, 400, JSON.stringify(body)?.slice(0, 60))
      t.match(answer.json.message, /^body/)
    }
    t.match(await detail(id), { status: 'signal_unassigned', assignments: [] })
    t.equal((await history(id)).length, 1)
    t.equal((await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora'], notes: long(4000), further: {} })).status, 200, 'further fields are ignored')
  })

  t.test('free texts of actions: at most 4,000 characters, no null, no U+0000', async t => {
    const id = await create()
    const actions: Array<[Client, string, string]> = [
      [admin, `/govintel/signals/${id}/publish`, 'notes'], [admin, `/govintel/signals/${id}/publish`, 'visibilityLevel'],
      [admin, `/govintel/signals/${id}/archive`, 'notes'], [admin, `/govintel/signals/${id}/unarchive`, 'notes'],
      [aurora, `/signal-pool/${id}/accept`, 'justification'], [aurora, `/startup/signals/${id}/accept`, 'notes'],
      [aurora, `/startup/signals/${id}/decline`, 'reason']
    ]
    for (const [client, url, field] of actions) {
      for (const value of [null, 5, long(4001), 'a\0b', '\udfff']) {
        const answer = await client.post(url, { [field]: value })
        t.equal(answer.status, 400, `${url} ${field}`)
        t.match(answer.json.message, new RegExp(`^body\\.${field}`))
      }
      t.equal((await client.post(url, [])).status, 400)
    }
    t.equal((await history(id)).length, 1)
  })

  t.test('request-contact and its review', async t => {
    const id = await create()
    await admin.post(`/govintel/signals/${id}/publish`, {})
    await aurora.post(`/signal-pool/${id}/accept`, {})
    for (const body of [undefined, {}, { requestSource: 'other' }, { requestSource: null }, { requestSource: 'direct' }, { requestSource: 'pool', message: long(4001) }]) {
      const answer = await aurora.post(`/startup/signals/${id}/request-contact`, body)
      t.equal(answer.status, 400)
      t.match(answer.json.message, /^body/)
    }
    const { contactRequest } = (await aurora.post(`/startup/signals/${id}/request-contact`, { requestSource: 'pool' })).json
    const wrong: Array<[string, unknown, string]> = [
      ['approve', { decision: 'rejected' }, 'decision'], ['approve', { decision: 'yes' }, 'decision'], ['approve', { decision: null }, 'decision'],
      ['approve', { reviewNotes: long(4001) }, 'reviewNotes'],
      ['reject', { decision: 'approved', reviewNotes: 'No' }, 'decision'], ['reject', undefined, 'body'], ['reject', {}, 'reviewNotes'],
      ['reject', { decision: 'rejected' }, 'reviewNotes'], ['reject', { reviewNotes: '' }, 'reviewNotes'],
      ['reject', { reviewNotes: ' \t\n\u00a0\u3000' }, 'reviewNotes'], ['reject', { reviewNotes: '\u0085' }, 'reviewNotes'], ['reject', { reviewNotes: '\u001c\u001f' }, 'reviewNotes'], ['reject', { reviewNotes: null }, 'reviewNotes'], ['reject', { reviewNotes: long(4001) }, 'reviewNotes']
    ]
    for (const [verb, body, field] of wrong) {
      const answer = await admin.post(`/contact-requests/${contactRequest.id}/${verb}`, body)
      t.equal(answer.status, 400, `${verb} ${JSON.stringify(body)?.slice(0, 50)}`)
      t.ok(answer.json.message.includes(field), answer.json.message)
    }
    t.match(await detail(id), { status: 'contact_request_pending', connections: [] })
  })
})

t.test('unknown and malformed ids are 404 on every route', async t => {
  const { admin, startups } = await signalApp(t)
  const [aurora] = startups as [Client]
  const ids = ['none', '019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f', '00000000-0000-0000-0000-000000000000', 'urn:uuid:019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f', '%F0%9F%9A%8C', 'a%2Fb', '%27%3B--', 'x'.repeat(1000)]
  for (const id of ids) {
    for (const url of [`/govintel/signals/${id}`, `/govintel/signals/${id}/status-history`, `/contact-requests/${id}`]) {
      t.equal((await admin.get(url)).status, 404, url.slice(0, 60))
    }
    for (const action of ['publish', 'unpublish', 'archive', 'unarchive']) {
      t.match(await admin.post(`/govintel/signals/${id}/${action}`), { status: 404, json: { message: 'Signal not found' } })
    }
    t.equal((await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora'] })).status, 404)
    t.match(await admin.post(`/contact-requests/${id}/approve`), { status: 404, json: { message: 'Contact request not found' } })
    t.equal((await admin.post(`/contact-requests/${id}/reject`, { reviewNotes: 'No' })).status, 404)
    t.equal((await aurora.get(`/startup/signals/${id}`)).status, 404)
    for (const url of [`/signal-pool/${id}/accept`, `/signal-pool/${id}/view`, `/startup/signals/${id}/accept`, `/startup/signals/${id}/decline`]) {
      t.equal((await aurora.post(url)).status, 404, url.slice(0, 60))
    }
    t.equal((await aurora.post(`/startup/signals/${id}/request-contact`, { requestSource: 'pool' })).status, 404)
  }
  t.equal((await admin.get('/govintel/signals/a%00b')).status, 400, 'U+0000 in a path is 400')
  t.equal((await admin.get('/govintel/signals/%ff')).status, 400, 'a path that cannot be decoded is 400')
})

t.test('bad queries are 400 and name the field', async t => {
  const { admin, startups } = await signalApp(t)
  const [aurora] = startups as [Client]
  const lists: Array<[Client, string]> = [
    [aurora, '/signal-pool'], [aurora, '/startup/signals'], [aurora, '/startup/contact-requests'], [admin, '/govintel/signals'],
    [admin, '/contact-requests'], [admin, '/connections'], [admin, '/govintel/startups'], [admin, '/govintel/governments'], [admin, '/govintel/government-contacts']
  ]
  for (const [client, url] of lists) {
    for (const query of ['page=0', 'page=-1', 'page=1e2', 'page=0x10', 'page=', 'page=1.5', 'page=99999999999999999999', 'limit=0', 'limit=x', 'limit=1&limit=2']) {
      const answer = await client.get(`${url}?${query}`)
      t.equal(answer.status, 400, `${url}?${query}`)
      t.match(answer.json.message, new RegExp(`query\\.${query.split('=')[0]}`))
    }
  }
  const others: Array<[Client, string, string]> = [
    [aurora, '/signal-pool', 'available=1'], [aurora, '/signal-pool', 'search=a%00'], [aurora, '/signal-pool', 'search=a&search=b'],
    [aurora, '/signal-pool', 'visibilityLevel=a&visibilityLevel=b'],
    [aurora, '/startup/signals', 'status=new'], [aurora, '/startup/signals', 'archived=yes'], [aurora, '/startup/signals', 'assignmentType=both'], [aurora, '/startup/signals', 'assignmentStatus=open'],
    [admin, '/govintel/signals', 'status='], [admin, '/govintel/signals', 'isPublic=TRUE'], [admin, '/govintel/signals', 'isArchived=0'],
    [admin, '/contact-requests', 'status=archived'], [admin, '/contact-requests', 'requestSource=x'], [admin, '/contact-requests', 'signalId=%00']
  ]
  for (const [client, url, query] of others) {
    const answer = await client.get(`${url}?${query}`)
    t.equal(answer.status, 400, `${url}?${query}`)
    t.match(answer.json.message, new RegExp(`query\\.${query.split('=')[0]}`))
  }
})
