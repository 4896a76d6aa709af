import t, { type Test } from 'tap'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { testDatabase } from '../helper.js'
import { freePort, type Service, spawnService, startService, until } from './service.js'

/** A database need not be there for any of this. */
const nowhere = 'postgres://postgres@127.0.0.1:1/nothing'

async function startWorkers (t: Test, env: Record<string, string> = {}): Promise<Service & { workers (): number[] }> {
  const service = await startService(t, { DATABASE_URL: nowhere, INSTANCES: '2', ...env })
  const workers = () => service.lines.filter(line => line.msg.startsWith('Server listening')).map(line => line.pid)
  await until('two workers listen', () => workers().length >= 2)
  return { ...service, workers }
}

t.test('workers share the port, and one that dies is replaced', async t => {
  const { base, workers, lines, child } = await startWorkers(t)
  t.notOk(workers().includes(child.pid as number), 'the primary serves nothing itself')
  process.kill(workers()[0] as number, 'SIGKILL')
  await until('a third worker listens', () => workers().length === 3)
  t.match(lines.find(line => line.msg.startsWith('worker ended')), { signal: 'SIGKILL', worker: workers()[0] })
  t.equal((await fetch(`${base}/health/live`)).status, 200)
})

t.test('a signal to the primary drains all workers and exits 0', async t => {
  const { child, ended, lines } = await startWorkers(t, { DRAIN_MS: '300' })
  child.kill('SIGTERM')
  t.equal(await ended, 0)
  t.equal(lines.filter(line => line.msg === 'draining').length, 2)
})

t.test('a signal to every process at once, as a terminal sends it, does the same', async t => {
  const { child, ended, workers } = await startWorkers(t, { DRAIN_MS: '300' })
  for (const pid of [child.pid as number, ...workers()]) process.kill(pid, 'SIGINT')
  t.equal(await ended, 0)
})

t.test('the workers end with a primary that was killed', async t => {
  const { child, base, workers } = await startWorkers(t)
  child.kill('SIGKILL')
  await until('nobody listens', async () => await fetch(`${base}/health/live`).then(() => false, () => true))
  await until('the workers are gone', () => workers().every(pid => !isRunning(pid)))
})

t.test('a port in use fails the start with exit code 1', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => { taken.close() })
  const { port } = taken.address() as { port: number }
  for (const instances of ['1', '2']) {
    const { ended, output } = spawnService(t, { DATABASE_URL: nowhere, PORT: String(port), INSTANCES: instances })
    t.equal(await ended, 1)
    t.match(output(), /^PORT is in use by another process$/m)
  }
})

t.test('a wrong variable stops the start with one line that names it', async t => {
  const { ended, output } = spawnService(t, { DATABASE_URL: nowhere, INSTANCES: 'many' })
  t.equal(await ended, 1)
  t.match(output(), /^INSTANCES [^\n]+\n$/)
})

t.test('metrics are those of all workers together', async t => {
  const port = await freePort()
  const { base } = await startWorkers(t, { DATABASE_URL: await testDatabase(t), METRICS_PORT: String(port) })
  // A fresh connection each, so that both workers get some.
  for (let count = 0; count < 40; count++) await fetch(`${base}/legal/current/terms`, { headers: { connection: 'close' } })
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  t.match(text, /http_requests_total\{method="GET",route="\/legal\/current\/:type",status="404"\} 40\n/)
  t.match(text, /database_pool_connections \d+/)
})

function isRunning (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
