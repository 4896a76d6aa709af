import t from 'tap'
import { sql } from 'kysely'
import { testApp } from '../helper.js'
import { until } from './service.js'

t.test('beyond 200 waiting requests a connection the rest is refused at once, and those admitted are served in turn', async t => {
  const { as, database: { db, pool } } = await testApp(t, { env: { DATABASE_POOL_MAX: '2' } })
  const anybody = await as()
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
  const ready = anybody.get('/health/ready')

  for (const connection of held) connection.release()
  await admitted
  t.same(order, [...order.keys()], 'first come, first served')
  t.equal((await ready).status, 200, 'an instance that is busy is ready')
  t.equal((await anybody.get('/legal/versions/terms')).status, 200)
})
