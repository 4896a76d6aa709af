import t from 'tap'
import { buildApp } from '../../src/app.js'
import { loadConfig } from '../../src/config.js'
import { createDatabase } from '../../src/database/client.js'
import { createMetrics } from '../../src/kernel/metrics.js'
import { adminClaims, adminEmail, secret, testDatabase, token } from '../helper.js'
import { freePort, startService } from './service.js'

const draft = { type: 'terms', version: '1.0.0', title: 'Terms', content: 'Text', effectiveDate: '2026-01-01T00:00:00Z' }

t.test('counts requests, latency, the pool, the process and what the domain did', async t => {
  const config = loadConfig({
    DATABASE_URL: await testDatabase(t), JWT_SECRET: secret, ADMIN_EMAILS: adminEmail, LOG_LEVEL: 'silent', BASE_PATH: '/v1'
  })
  const database = createDatabase(config.database, () => {})
  const metrics = createMetrics(database.pool, config.basePath)
  const app = await buildApp({ config, database, metrics })
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  const headers = { authorization: `Bearer ${await token(adminClaims)}` }
  const { id } = (await app.inject({ method: 'POST', url: '/v1/legal/admin/documents', headers, payload: draft })).json() as { id: string }
  await app.inject({ method: 'POST', url: `/v1/legal/admin/documents/${id}/publish`, headers })
  for (let time = 0; time < 3; time++) await app.inject({ method: 'POST', url: '/v1/legal/accept', headers, payload: { type: 'terms' } })
  await app.inject('/v1/legal/status')
  await app.inject({ url: '/v1/legal/admin/documents/unknown', headers })
  await app.inject('/invented/by/a/client')
  await app.inject('/invented/%zz')

  const text = await metrics.registry.metrics()
  const expected = [
    'http_requests_total{method="POST",route="/v1/legal/accept",status="201"} 1',
    'http_requests_total{method="POST",route="/v1/legal/accept",status="200"} 2',
    'http_requests_total{method="GET",route="/v1/legal/admin/documents/:id",status="404"} 1',
    'http_requests_total{method="GET",route="unmatched",status="404"} 1',
    'http_requests_total{method="GET",route="unmatched",status="400"} 1',
    'refusals_total{kind="invalid"} 1',
    'http_request_duration_seconds_count{method="POST",route="/v1/legal/accept"} 3',
    'legal_acceptances_total{result="created"} 1',
    'legal_acceptances_total{result="repeated"} 2',
    'legal_publishes_total 1',
    'refusals_total{kind="unauthorized"} 1',
    'refusals_total{kind="not-found"} 2',
    'database_pool_waiting 0'
  ]
  for (const line of expected) t.ok(text.includes(`${line}\n`), line)
  t.match(text, /database_pool_connections [1-9]/)
  t.match(text, /process_resident_memory_bytes \d+/)
  t.notMatch(text, /invented/)
})

t.test('are served on a listener of their own, never on the main one', async t => {
  const port = await freePort()
  const { base } = await startService(t, { DATABASE_URL: await testDatabase(t), METRICS_PORT: String(port) })
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  t.match(await answer.text(), /http_requests_total\{method="GET",route="\/health\/live",status="200"\} [1-9]/)
  t.equal((await fetch(`http://127.0.0.1:${port}/legal/current/terms`)).status, 404)
  t.equal((await fetch(`${base}/metrics`)).status, 404)
})
