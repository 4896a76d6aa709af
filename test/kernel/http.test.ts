import t from 'tap'
import { testApp } from '../helper.js'
import { draftBody, isError, legalApp, unknownIds } from '../legal/helper.js'

const requestId = /^[\w-]{12}-[0-9a-z]+$/

t.test('HEAD answers as GET does, without a body, at the same access level', async t => {
  const { admin, anybody, published } = await legalApp(t)
  await published()
  for (const url of ['/legal/current/terms', '/legal/status', '/legal/admin/documents', '/openapi.json', '/health/live']) {
    const get = await admin.get(url)
    const head = await admin.send({ method: 'HEAD', url })
    t.equal(head.status, 200)
    t.equal(head.body, '')
    t.equal(head.headers['content-type'], get.headers['content-type'])
    t.equal(head.headers['content-length'], get.headers['content-length'])
    t.equal(head.headers['etag'], get.headers['etag'])
  }
  t.equal((await anybody.send({ method: 'HEAD', url: '/legal/status' })).status, 401)
  t.equal((await anybody.send({ method: 'HEAD', url: '/legal/admin/documents' })).status, 401)
  t.equal((await anybody.send({ method: 'HEAD', url: '/legal/accept' })).status, 404)
})

t.test('BASE_PATH prefixes every route but /health/*', async t => {
  const { admin, anybody } = await legalApp(t, { env: { BASE_PATH: '/api/v1' } })
  for (const url of ['/legal/current/terms', '/legal/status', '/openapi.json', '/documentation/', '/legal/admin/documents', '/legal/versions/terms']) {
    isError(t, await admin.get(url), 404, 'Route not found')
    t.ok([200, 404].includes((await admin.get(`/api/v1${url}`)).status))
    t.not((await admin.get(`/api/v1${url}`)).json?.message, 'Route not found')
  }
  t.equal((await admin.post('/api/v1/legal/admin/documents', draftBody())).status, 201)
  t.equal((await anybody.get('/health/live')).status, 200)
  t.equal((await anybody.get('/health/ready')).status, 200)
  isError(t, await anybody.get('/api/v1/health/live'), 404, 'Route not found')
  const document = (await anybody.get('/api/v1/openapi.json')).json
  t.same(document.servers, [{ url: '/api/v1' }])
  t.ok(document.paths['/legal/current/{type}'], 'paths are relative to the server\'s address')
})

t.test('the service\'s own pages', async t => {
  const { anybody } = await legalApp(t)
  const document = await anybody.get('/openapi.json')
  t.equal(document.status, 200)
  t.equal(document.headers['content-type'], 'application/json; charset=utf-8')
  t.match(document.json.openapi, /^3\.1\./)
  const page = await anybody.get('/documentation/')
  t.equal(page.status, 200)
  t.match(page.headers['content-type'], /^text\/html/)
  for (const path of ['/documentation/static/%2e%2e/%2e%2e/package.json', '/documentation/static/..%2f..%2fpackage.json', '/documentation/static/nothing.js']) {
    t.ok([400, 403, 404].includes((await anybody.get(path)).status), path)
  }
})

t.test('CORS', async t => {
  const origin = 'https://app.example.com'

  t.test('without CORS_ORIGINS no origin is allowed', async t => {
    const anybody = await (await testApp(t)).as()
    t.equal((await anybody.get('/legal/current/terms', { origin })).headers['access-control-allow-origin'], undefined)
    t.equal((await anybody.send({ method: 'OPTIONS', url: '/legal/accept', headers: { origin, 'access-control-request-method': 'POST' } })).status, 404)
  })

  t.test('exactly the listed origins are allowed', async t => {
    const { anybody, published } = await legalApp(t, { env: { CORS_ORIGINS: `${origin}, http://localhost:5173` } })
    await published()
    for (const allowed of [origin, 'http://localhost:5173']) {
      const answer = await anybody.get('/legal/current/terms', { origin: allowed })
      t.equal(answer.status, 200)
      t.equal(answer.headers['access-control-allow-origin'], allowed)
      t.match(answer.headers['vary'], /origin/i)
    }
    const others = ['https://app.example.com.evil.example', 'https://evil.example', 'http://app.example.com', 'https://APP.example.com:443', 'null', 'https://app.example.com/']
    for (const other of others) {
      t.equal((await anybody.get('/legal/current/terms', { origin: other })).headers['access-control-allow-origin'], undefined, other)
    }
  })

  t.test('a preflight is answered without a token, and errors can be read by the page', async t => {
    const anybody = await (await testApp(t, { env: { CORS_ORIGINS: origin } })).as()
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await anybody.send({
        method: 'OPTIONS',
        url: '/legal/admin/documents/x',
        headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization,content-type' }
      })
      t.equal(status, 204)
      t.match(headers['access-control-allow-methods'], method)
      t.match(headers['access-control-allow-headers'], 'authorization')
    }
    const refused = await anybody.get('/legal/status', { origin })
    t.equal(refused.status, 401)
    t.equal(refused.headers['access-control-allow-origin'], origin)
    t.match(refused.headers['access-control-expose-headers'], /etag/i)
  })
})

t.test('what no route takes is 404, whatever its body or the lack of one', async t => {
  const { admin, anybody } = await legalApp(t)
  const paths = ['/legal/current/terms', '/legal/admin/documents', '/legal/status', '/health/live', '/nothing', '/']
  for (const method of ['QUERY', 'PROPFIND', 'SEARCH', 'PURGE', 'TRACE', 'LINK', 'OPTIONS'] as const) {
    for (const url of paths) {
      for (const client of [admin, anybody]) isError(t, await client.send({ method: method as 'GET', url }), 404, 'Route not found')
    }
  }
  for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/json' }, { 'content-type': ';' }]) {
    for (const payload of ['', 'text', '{', 'x'.repeat(2 * 1024 * 1024)]) {
      for (const method of ['POST', 'QUERY', 'DELETE', 'PROPPATCH'] as const) {
        isError(t, await admin.send({ method: method as 'POST', url: '/legal/status', headers, payload }), 404, 'Route not found')
      }
    }
  }
})

t.test('headers of every answer', async t => {
  const { admin, anybody, published } = await legalApp(t)
  await published()
  const current = await anybody.get('/legal/current/terms')
  const known = await anybody.get('/legal/current/terms', { 'if-none-match': String(current.headers['etag']) })
  t.equal(known.status, 304)
  const answers = [current, known, await admin.get('/legal/admin/documents'), await anybody.get('/legal/status'), await anybody.get('/nothing'), await anybody.get('/health/live')]
  for (const { status, headers } of answers) {
    t.test(`security headers and x-request-id on a ${status}`, async t => {
      t.equal(headers['x-content-type-options'], 'nosniff')
      t.equal(headers['x-frame-options'], 'SAMEORIGIN')
      t.match(headers['strict-transport-security'], /max-age=\d+/)
      t.match(headers['content-security-policy'], /default-src 'self'/)
      t.notOk(headers['x-powered-by'])
      t.notOk(headers['server'])
      t.match(headers['x-request-id'], requestId)
      if (status >= 400) t.equal(headers['cache-control'], 'no-store', 'errors are not for caches')
    })
  }

  t.test('a caller\'s own x-request-id is kept when it is harmless', async t => {
    for (const id of ['abc', '4bf92f35-77b3', 'a.b:c_d-e', 'x'.repeat(128)]) {
      t.equal((await anybody.get('/health/live', { 'x-request-id': id })).headers['x-request-id'], id)
    }
    for (const id of ['', 'x'.repeat(129), 'a b', 'a\tb', '<script>', 'a,b', '{"a":1}', 'é']) {
      t.match((await anybody.get('/health/live', { 'x-request-id': id })).headers['x-request-id'], requestId, id)
    }
  })
})

t.test('no rate limiting: a thousand requests of one caller are all served', async t => {
  const { anybody } = await legalApp(t)
  const answers = await Promise.all(Array.from({ length: 1000 }, async () => await anybody.get('/legal/current/cookies')))
  t.ok(answers.every(({ status }) => status === 400))
})

t.test('an id of any length that a path can have is an unknown id', async t => {
  const { admin } = await legalApp(t)
  for (const id of [...unknownIds, 'x'.repeat(10_000), '%F0%9F%98%80'.repeat(500)]) {
    isError(t, await admin.get(`/legal/admin/documents/${id}`), 404, 'Document not found')
  }
})
