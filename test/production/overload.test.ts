import t from 'tap'
import { sql } from 'kysely'
import { adminClaims, testApp, token } from '../helper.js'
import { until } from './service.js'

t.test('beyond 200 waiting requests a connection the rest is refused at once, and those admitted are served in turn', async t => {
  const { app, as, database: { db, pool } } = await testApp(t, { env: { DATABASE_POOL_MAX: '2' } })
  const anybody = await as()
  const base = await app.listen({ port: 0 })
  const held = [await pool.connect(), await pool.connect()]

  const order: number[] = []
  const admitted = Promise.all(Array.from({ length: 400 - pool.usage.waiting }, async (_none, index) => {
    const connection = await pool.connect()
    order.push(index)
    connection.release()
  }))
  await until('the queue is full', () => pool.usage.waiting === 400)
  await t.rejects(sql`select 1`.execute(db), { name: 'DatabaseOverloaded' })
  const startedAt = performance.now()
  const refused = await Promise.all(Array.from({ length: 50 }, async () => await anybody.get('/legal/versions/terms')))
  const ms = performance.now() - startedAt
  t.ok(refused.every(answer => answer.status === 503 && answer.headers['retry-after'] === '1'))
  t.ok(ms < 1000, `refused within ${Math.round(ms)} ms`)
  t.equal((await anybody.get('/health/live')).status, 200)

  const shed = await fetch(`${base}/legal/versions/terms`)
  t.equal(shed.status, 503)
  t.same(await shed.json(), { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
  t.equal(shed.headers.get('retry-after'), '1')
  t.match(shed.headers.get('x-request-id'), /./)
  const withBody = await fetch(`${base}/legal/accept`, { method: 'POST', body: 'x'.repeat(100_000), headers: { 'content-type': 'application/json' } })
  t.equal(withBody.status, 503)
  for (const path of ['/health/live', '/openapi.json', '/documentation']) t.equal((await fetch(base + path)).status, 200, `${path} goes on`)

  const ready = anybody.get('/health/ready')

  for (const connection of held) connection.release()
  await admitted
  t.same(order, [...order.keys()], 'first come, first served')
  t.equal((await ready).status, 200, 'an instance that is busy is ready')
  t.equal((await anybody.get('/legal/versions/terms')).status, 200)
})

t.test('acceptances that pile up are refused at the door, everything else goes on, and those admitted are stored', async t => {
  const lines: string[] = []
  const { app, as, database: { db, pool } } = await testApp(t, { env: { LOG_LEVEL: 'info' }, log: line => lines.push(line) })
  const admin = await as(adminClaims)
  const { json } = await admin.post('/legal/admin/documents', { type: 'terms', version: '1.0.0', title: 'Title', content: 'Text', effectiveDate: '2026-01-01T00:00:00Z' })
  await admin.post(`/legal/admin/documents/${json.id}/publish`)
  const base = await app.listen({ port: 0 })
  const accept = async (index: number) => await fetch(`${base}/legal/accept`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await token({ sub: `user-${index}` })}`, 'content-type': 'application/json' },
    body: '{"type":"terms"}'
  })

  // What a publish holds while it waits for its commit.
  const publisher = await pool.connect()
  await publisher.query('begin', [])
  await publisher.query('select pg_advisory_xact_lock(1279611713, 1)', [])
  // Two that find a statement free, and as many as the next two carry.
  const admitted = Array.from({ length: 258 }, async (_, index) => await accept(index))
  await until('the door is closed', async () => {
    const answer = await fetch(`${base}/legal/accept`, { method: 'POST' })
    await answer.body?.cancel()
    return answer.status === 503
  })
  const refused = await accept(1000)
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '1')
  t.same(await refused.json(), { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
  const member = { headers: { authorization: `Bearer ${await token({ sub: 'user-0' })}` } }
  t.equal((await fetch(`${base}/legal/status`, member)).status, 200)
  t.equal((await fetch(`${base}/legal/versions/terms`)).status, 200)
  t.equal((await fetch(`${base}/legal/accept`)).status, 404, 'only the method that has the queue')
  app.drain()
  const last = await accept(1001)
  t.equal(last.status, 503)
  t.equal(last.headers.get('connection'), 'close', 'who is refused while the instance drains goes elsewhere')
  await publisher.query('rollback', [])
  publisher.release()

  const statuses = (await Promise.all(admitted)).map(({ status }) => status)
  t.ok(statuses.includes(201))
  const { rows } = await sql<{ count: number }>`select count(*) from document_acceptances`.execute(db)
  t.same(rows, [{ count: statuses.filter(status => status === 201).length }])
  t.equal((await accept(1001)).status, 201)
  await until('the refusals are logged', () => lines.some(line => line.includes('"overloaded"')))
  t.ok(lines.filter(line => line.includes('"overloaded"')).reduce((sum, line) => sum + (JSON.parse(line) as { refused: number }).refused, 0) >= 2)
})
