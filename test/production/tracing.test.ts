import t, { type Test } from 'tap'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { adminClaims, testDatabase, token } from '../helper.js'
import { freePort, startService, until } from './service.js'

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly status: { readonly code?: number, readonly message?: string }
  readonly attributes: ReadonlyArray<{ readonly key: string, readonly value: Record<string, unknown> }>
}

/** Stands in for a collector: keeps what is sent to `/v1/traces`. */
async function startCollector (t: Test) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => { body += chunk })
    request.on('end', () => {
      if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/json') bodies.push(body)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    bodies,
    spans: () => bodies.flatMap(body => (JSON.parse(body) as {
      resourceSpans: Array<{ scopeSpans: Array<{ spans: Span[] }> }>
    }).resourceSpans.flatMap(resource => resource.scopeSpans.flatMap(scope => scope.spans)))
  }
}

t.test('requests are sent to the collector as spans, within the caller\'s trace and without its secrets', async t => {
  const collector = await startCollector(t)
  const { base, child, ended } = await startService(t, { DATABASE_URL: await testDatabase(t), OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
  const bearer = await token(adminClaims)
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  await fetch(`${base}/legal/versions/terms?limit=7&x=query-secret`, {
    headers: { authorization: `Bearer ${bearer}`, traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  })
  await fetch(`${base}/legal/status`)
  child.kill('SIGTERM')
  t.equal(await ended, 0, 'what is left is sent when the service ends')

  const attribute = (span: Span, key: string) => Object.values(span.attributes.find(entry => entry.key === key)?.value ?? {})[0]
  const routes = collector.spans().map(span => attribute(span, 'http.route'))
  t.ok(routes.includes('/legal/versions/:type') && routes.includes('/legal/status'), routes.join())
  const span = collector.spans().find(span => attribute(span, 'http.route') === '/legal/versions/:type') as Span
  t.equal(span.name, 'GET /legal/versions/:type')
  t.equal(span.traceId, traceId)
  t.match(collector.bodies[0], /"service\.name".+"legal-signals"/)
  t.notOk(collector.bodies.join().includes(bearer.slice(0, 40)))
  t.notMatch(collector.bodies.join(), /query-secret/)
})

t.test('each statement of a request is a span below the request\'s, without its values', async t => {
  const collector = await startCollector(t)
  const { base, child, ended } = await startService(t, { DATABASE_URL: await testDatabase(t), OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
  const authorization = `Bearer ${await token({ ...adminClaims, email: 'admin@example.com' })}`
  const headers = { authorization, 'content-type': 'application/json' }
  const post = async (path: string, body?: object) =>
    await (await fetch(base + path, { method: 'POST', headers, ...(body !== undefined && { body: JSON.stringify(body) }) })).json() as { id: string, statusCode?: number }
  const draft = { type: 'terms', version: '1.0.0', title: 'title-secret', content: 'content-secret', effectiveDate: '2026-01-01T00:00:00Z' }
  const { id } = await post('/legal/admin/documents', draft)
  await post(`/legal/admin/documents/${id}/publish`, {})
  t.equal((await post('/legal/admin/documents', draft)).statusCode, 400)
  await fetch(`${base}/legal/accept`, { method: 'POST', headers, body: '{"body-secret' })
  await Promise.all(['one', 'two', 'three'].map(async sub => await fetch(`${base}/legal/accept`, {
    method: 'POST', headers: { ...headers, authorization: `Bearer ${await token({ sub })}` }, body: JSON.stringify({ type: 'terms', ipAddress: 'address-secret' })
  })))
  await fetch(`${base}/legal/admin/users?search=search-secret`, { headers })
  child.kill('SIGTERM')
  await ended

  const spans = collector.spans()
  const attributes = (span: Span) => Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
  const requests = spans.filter(span => attributes(span)['http.route'] !== undefined)
  const statements = spans.filter(span => attributes(span)['db.system.name'] !== undefined)
  t.equal(requests.length + statements.length, spans.length)
  for (const span of statements) {
    t.equal(attributes(span)['db.system.name'], 'postgresql')
    t.equal(span.name, attributes(span)['db.query.summary'])
    t.equal(span.kind, 3, 'a client\'s')
    t.ok(requests.some(request => request.spanId === span.parentSpanId && request.traceId === span.traceId), `${span.name} is below a request`)
  }
  const below = (method: string, route: string) => requests
    .filter(span => attributes(span)['http.route'] === route && attributes(span)['http.request.method'] === method)
    .map(request => statements.filter(span => span.parentSpanId === request.spanId))
  const [publish = []] = below('POST', '/legal/admin/documents/:id/publish')
  t.ok(publish.some(span => span.name === 'BEGIN'))
  t.equal(publish.at(-1)?.name, 'COMMIT')
  t.ok(publish.some(span => attributes(span)['db.operation.name'] === 'UPDATE' && /^UPDATE legal_documents/.test(span.name)))
  t.ok(below('POST', '/legal/accept').flat().some(span => /INSERT .*document_acceptances/.test(span.name)), 'also when a body came before it')
  t.ok(below('GET', '/legal/admin/users').flat().some(span => span.name === 'SELECT users'))
  const refused = below('POST', '/legal/admin/documents').flat().filter(span => span.status.code === 2)
  t.match(refused.map(attributes), [{ 'db.response.status_code': '23505', 'error.type': '23505' }])
  t.same(requests.filter(span => span.status.code === 2), [], 'a refusal is no error of the server')
  t.notMatch(collector.bodies.join(), /-secret|select |returning/)
})

t.test('a collector that is gone harms nobody', async t => {
  const { base, child, ended } = await startService(t, {
    DATABASE_URL: await testDatabase(t), OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`
  })
  await until('requests are answered', async () => (await fetch(`${base}/legal/versions/terms`)).status === 200)
  child.kill('SIGTERM')
  t.equal(await ended, 0)
})
