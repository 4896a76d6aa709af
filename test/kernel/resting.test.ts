import Fastify from 'fastify'
import { Agent, get } from 'node:http'
import t from 'tap'
import { setUpShedding } from '../../src/kernel/shedding.js'

const connections = 40

t.test('while the process is never idle, who is refused is not heard again for half a second, and then as ever', async t => {
  let isOverloaded = false
  const app = Fastify({ keepAliveTimeout: 5000 })
  setUpShedding(app, { isOverloaded: () => isOverloaded, isDraining: () => false, spared: ['/spared'], onShed: () => {} })
  app.get('/*', async () => 'served')
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  t.teardown(() => { for (const agent of agents) agent.destroy() })
  const ask = async (agent: Agent | undefined, path = '/'): Promise<number> => await new Promise((resolve, reject) => {
    get(base + path, { agent }, response => { response.resume().on('end', () => { resolve(response.statusCode ?? 0) }) }).on('error', reject)
  })
  let end = false
  const spin = (): void => { if (!end) setImmediate(spin) }
  t.teardown(() => { end = true })

  // Each asks again as soon as it is answered, on the connection that it has.
  const flood = async (seconds: number): Promise<number[]> => {
    const until = performance.now() + seconds * 1000
    const statuses = await Promise.all(agents.map(async agent => {
      const seen: number[] = []
      do seen.push(await ask(agent)); while (performance.now() < until)
      return seen
    }))
    return statuses.flat()
  }

  isOverloaded = true
  spin()
  await flood(0.2)
  const refused = await flood(2)
  t.ok(refused.every(status => status === 503))
  // Four or five times each in two seconds, and once more for who waits at the end.
  t.ok(refused.length <= 8 * connections && refused.length >= 2 * connections, `${refused.length} refused of ${connections} connections in 2 s`)
  t.equal(await ask(agents[0], '/spared'), 200, 'what comes on a connection at rest is answered in the end')

  const resting = Promise.all(agents.map(async agent => await ask(agent)))
  isOverloaded = false
  const startedAt = performance.now()
  t.same([...new Set(await resting)], [200])
  t.ok(performance.now() - startedAt < 2000, 'all are served once there is room')
  t.ok((await flood(0.2)).every(status => status === 200))

  isOverloaded = true
  await flood(0.2)
  const last = Promise.all(agents.map(async agent => await ask(agent)))
  await new Promise(resolve => setTimeout(resolve, 50))
  const closed = app.close()
  t.same([...new Set(await last)], [503], 'a close hears those at rest')
  for (const agent of agents) agent.destroy()
  await closed
})
