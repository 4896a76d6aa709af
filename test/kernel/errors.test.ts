import t from 'tap'
import type { Test } from 'tap'
import { gzipSync } from 'node:zlib'
import { adminClaims, type Answer, testApp } from '../helper.js'
import { draftBody, isError, legalApp } from '../legal/helper.js'

t.test('every kind of error has exactly statusCode, error and message', async t => {
  const { admin, anybody, user, draft, published } = await legalApp(t)
  await published()
  const ann = await user('ann')
  const { id } = await draft()
  const raw = async (contentType: string | undefined, payload: string | Buffer, headers: Record<string, string> = {}) => await admin.send({
    method: 'POST',
    url: '/legal/admin/documents',
    headers: { ...headers, ...(contentType !== undefined && { 'content-type': contentType }) },
    payload
  })
  const rows: Array<[string, () => Promise<Answer>, number, string | RegExp]> = [
    ['validation', async () => await admin.post('/legal/admin/documents', draftBody({ title: '' })), 400, /^body.title /],
    ['rule of the domain', async () => await admin.delete(`/legal/admin/documents/${(await published()).id}`), 400, 'Cannot delete a published document'],
    ['malformed JSON', async () => await raw('application/json', '{"type":'), 400, 'body must be valid JSON'],
    ['a body that is no object', async () => await raw('application/json', '[]'), 400, /^body /],
    ['a body of null', async () => await raw('application/json', 'null'), 400, /^body /],
    ['a body of text', async () => await raw('application/json', '"terms"'), 400, /^body /],
    ['__proto__', async () => await raw('application/json', '{"__proto__": {"isAdmin": true}}'), 400, 'body must be valid JSON'],
    ['constructor.prototype', async () => await raw('application/json', '{"constructor": {"prototype": {}}}'), 400, 'body must be valid JSON'],
    ['an undecodable path', async () => await admin.get('/legal/admin/documents/%zz'), 400, 'The path cannot be decoded'],
    ['missing token', async () => await anybody.get('/legal/status'), 401, 'Missing bearer token'],
    ['not an admin', async () => await ann.get('/legal/admin/documents'), 403, 'Admin access required'],
    ['unknown thing', async () => await admin.get(`/legal/admin/documents/${id}x`), 404, 'Document not found'],
    ['unknown route', async () => await admin.get('/nothing'), 404, 'Route not found'],
    ['unknown route under a known one', async () => await admin.get('/legal/admin'), 404, 'Route not found'],
    ['conflict', async () => await ann.post('/legal/accept', { type: 'terms', version: '9.9.9' }), 409, 'Another terms document is active now'],
    ['too large a body', async () => await raw('application/json', Buffer.alloc(14 * 1024 * 1024 + 1, ' ')), 413, 'The body is too large'],
    ['more than a mebibyte where no legal text is taken', async () => await ann.post('/legal/accept', { type: 'terms', version: ' '.repeat(1024 * 1024) }), 413, 'The body is too large'],
    ['no media type', async () => await raw(undefined, Buffer.from('{}')), 415, 'The body must be application/json'],
    ['text/plain', async () => await raw('text/plain', '{}'), 415, 'The body must be application/json'],
    ['a form', async () => await raw('application/x-www-form-urlencoded', 'type=terms'), 415, 'The body must be application/json'],
    ['multipart', async () => await raw('multipart/form-data; boundary=x', '--x--'), 415, 'The body must be application/json'],
    ['another kind of JSON', async () => await raw('application/merge-patch+json', '{}'), 415, 'The body must be application/json'],
    ['a compressed body', async () => await raw('application/json', gzipSync('{}'), { 'content-encoding': 'gzip' }), 415, 'The body must not be compressed'],
    ['a body that only says it is compressed', async () => await raw('application/json', '{}', { 'content-encoding': 'GZIP, identity' }), 415, 'The body must not be compressed'],
    ['a media type that is none', async () => await raw('nonsense', '{}'), 415, /media type|application\/json/i]
  ]
  for (const [name, call, status, message] of rows) {
    t.test(`${status}: ${name}`, async t => {
      const answer = await call()
      isError(t, answer, status, message)
      t.match(answer.headers, { 'x-request-id': /^[\w-]+$/, 'x-content-type-options': 'nosniff' }, 'with the headers of every answer')
    })
  }
})

t.test('the order of checks: 401, 403, then 415, 413 and 400, then 404, then the state', async t => {
  const { admin, anybody, user, published } = await legalApp(t)
  const { id } = await published()
  const ann = await user('ann')
  const unknown = '/legal/admin/documents/nonsense'
  const send = async (caller: typeof admin, url: string, contentType: string, payload: string | Buffer) =>
    (await caller.send({ method: 'PUT', url, headers: { 'content-type': contentType }, payload })).status
  const large = Buffer.alloc(14 * 1024 * 1024 + 1, ' ')
  for (const [contentType, payload, status] of [['text/plain', 'x', 415], ['application/json', large, 413], ['application/json', '{', 400],
    ['application/json', '{"type":"terms"}', 400]] as const) {
    t.equal(await send(anybody, unknown, contentType, payload), 401)
    t.equal(await send(ann, unknown, contentType, payload), 403)
    t.equal(await send(admin, unknown, contentType, payload), status, 'before 404')
    t.equal(await send(admin, `/legal/admin/documents/${id}`, contentType, payload), status, 'before the state')
  }
  t.equal(await send(admin, unknown, 'application/json', '{"title":"x"}'), 404)
  t.equal((await anybody.get('/legal/admin/acceptances?limit=0')).status, 401)
  t.equal((await ann.get('/legal/admin/acceptances?limit=0')).status, 403)
})

t.test('a wrong method is 404, with a token and without', async t => {
  const { as } = await testApp(t)
  const callers = [await as(adminClaims), await as()]
  const wrong = [['POST', '/legal/current/terms'], ['GET', '/legal/accept'], ['PUT', '/legal/accept'], ['DELETE', '/legal/status'],
    ['PATCH', '/legal/admin/documents/x'], ['GET', '/legal/admin/documents/x/publish'], ['POST', '/openapi.json'], ['POST', '/health/live'],
    ['OPTIONS', '/legal/current/terms']] as const
  for (const [method, url] of wrong) {
    for (const caller of callers) isError(t, await caller.send({ method, url }), 404, 'Route not found')
  }
})

t.test('5xx answers', async t => {
  const lines: string[] = []
  const logged = { env: { LOG_LEVEL: 'error' }, log: (line: string) => { lines.push(line) } }
  const { admin, anybody, published, query } = await legalApp(t, logged)
  await published()

  const tellsNothing = (t: Test, { body, headers }: Answer) => {
    t.notMatch(`${body} ${JSON.stringify(headers)}`, /sql|select|legal_documents|column|relation|postgres|node_modules|\.ts|\.js|stack|at /i)
  }

  t.test('a failure of ours: 500 "Internal Server Error", nothing internal to the client, everything in the log', async t => {
    await query('alter table legal_documents rename column title to renamed')
    for (const url of ['/legal/admin/documents', '/legal/versions/terms']) {
      const answer = await admin.get(url)
      isError(t, answer, 500, 'Internal Server Error')
      tellsNothing(t, answer)
      t.match(lines.at(-1), /column .* does not exist/)
      t.match(lines.at(-1), new RegExp(String(answer.headers['x-request-id'])))
    }
    await query('alter table legal_documents rename column renamed to title')
    t.equal((await anybody.get('/legal/versions/terms')).status, 200, 'and it works again afterwards')
  })

  t.test('an error of the database that no rule foresees: 500 in the same shape', async t => {
    await query('alter table legal_documents add constraint broken check (title <> $$x$$)')
    const answer = await admin.post('/legal/admin/documents', draftBody({ title: 'x' }))
    isError(t, answer, 500, 'Internal Server Error')
    tellsNothing(t, answer)
    t.match(lines.at(-1), /broken/)
  })

  t.test('the database gone: 503 "Service Unavailable" with Retry-After', async t => {
    const { as } = await testApp(t, { ...logged, url: 'postgres://postgres@127.0.0.1:1/nothing' })
    const answer = await (await as(adminClaims)).get('/legal/admin/documents')
    isError(t, answer, 503, 'Service Unavailable')
    t.match(answer.headers['retry-after'], /^\d+$/)
    tellsNothing(t, answer)
    t.match(lines.at(-1), /ECONNREFUSED/)
  })
})
