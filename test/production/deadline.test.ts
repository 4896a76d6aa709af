import t from 'tap'
import Fastify from 'fastify'
import { request } from 'node:http'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { setUpDeadline } from '../../src/kernel/deadline.js'
import { setUpErrors } from '../../src/kernel/errors.js'

t.test('a request that waits too long, in its guard or in its handler, is 503 with Retry-After', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  setUpErrors(app)
  setUpDeadline(app, 300)
  let late = 0
  app.get('/handler', async () => {
    await pause(900)
    late++
    return { late }
  })
  app.get('/guard', { onRequest: async () => { await pause(900) } }, async () => ({}))
  app.get('/failing', async () => {
    await pause(900)
    throw new Error('too late to matter')
  })
  app.get('/quick', async () => ({ quick: true }))
  const answers = await Promise.all(['/handler', '/guard', '/failing'].map(url => app.inject(url)))
  for (const answer of answers) {
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['retry-after'], /^\d+$/)
  }
  t.equal((await app.inject('/quick')).statusCode, 200)
  await pause(900)
  t.equal(late, 1, 'what was under way ends without harm')
})

t.test('the time that a client takes to send its body does not count', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  setUpErrors(app)
  setUpDeadline(app, 300)
  app.post('/', async request => request.body)
  const base = await app.listen({ port: 0 })
  const slow = request(base, { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': 2 } })
  slow.write('{')
  await pause(800)
  slow.end('}')
  const [response] = await once(slow, 'response') as [{ statusCode: number, resume (): void }]
  response.resume()
  t.equal(response.statusCode, 200)
})
