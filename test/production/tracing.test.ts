import t, { type Test } from 'tap'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { adminClaims, testDatabase, token } from '../helper.js'
import { freePort, startService, until } from './service.js'

interface Span {
  readonly name: string
  readonly traceId: string
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
  await fetch(`${base}/legal/versions/terms?limit=7`, {
    headers: { authorization: `Bearer ${bearer}`, traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  })
  await fetch(`${base}/legal/status`)
  child.kill('SIGTERM')
  t.equal(await ended, 0, 'what is left is sent when the service ends')

  const attribute = (span: Span, key: string) => Object.values(span.attributes.find(entry => entry.key === key)?.value ?? {})[0]
  const routes = collector.spans().map(span => attribute(span, 'http.route'))
  t.ok(routes.includes('/legal/versions/:type') && routes.includes('/legal/status'), routes.join())
  const span = collector.spans().find(span => attribute(span, 'http.route') === '/legal/versions/:type') as Span
  t.equal(span.traceId, traceId)
  t.match(collector.bodies[0], /"service\.name".+"legal-signals"/)
  t.notOk(collector.bodies.join().includes(bearer.slice(0, 40)))
})

t.test('a collector that is gone harms nobody', async t => {
  const { base, child, ended } = await startService(t, {
    DATABASE_URL: await testDatabase(t), OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`
  })
  await until('requests are answered', async () => (await fetch(`${base}/legal/versions/terms`)).status === 200)
  child.kill('SIGTERM')
  t.equal(await ended, 0)
})
