import t from 'tap'
import { testApp } from '../helper.js'

t.test('GET /health/live is 200 while the process runs, GET /health/ready while the database answers', async t => {
  const { as } = await testApp(t)
  const anybody = await as()
  t.equal((await anybody.get('/health/live')).status, 200)
  t.equal((await anybody.get('/health/ready')).status, 200)
})

t.test('without a database liveness stays 200 and readiness is 503 with Retry-After', async t => {
  const { as } = await testApp(t, { url: 'postgres://postgres@127.0.0.1:1/nothing' })
  const anybody = await as()
  t.equal((await anybody.get('/health/live')).status, 200)
  const ready = await anybody.get('/health/ready')
  t.same(ready.json, { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
  t.match(ready.headers['retry-after'], /^\d+$/)
})

t.test('while draining readiness is 503, liveness 200, and requests are still answered', async t => {
  const { app, as } = await testApp(t)
  const anybody = await as()
  app.drain()
  t.equal((await anybody.get('/health/ready')).status, 503)
  t.equal((await anybody.get('/health/live')).status, 200)
  const current = await anybody.get('/legal/current/terms')
  t.equal(current.status, 404)
  t.equal(current.headers['connection'], 'close')
})
