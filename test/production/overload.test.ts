import t from 'tap'
import { sql } from 'kysely'
import { testApp } from '../helper.js'
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
