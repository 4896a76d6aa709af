import t, { type Test } from 'tap'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { adminClaims, testDatabase, token } from '../helper.js'
import { freePort, type Service, startService, until } from './service.js'

const checkMs = 100
/** Readiness must be seen as lost, several checks in a row, before the listener closes. */
const drainMs = 1500
const clients = 16
/** Between two requests of a client, so that connections are also idle when their backend drains. */
const longestPauseMs = 80

/** Sends each request to the next ready backend over kept-alive connections; one that is not ready gets no new ones. */
async function ownBalancer (t: Test, backends: readonly string[]): Promise<string> {
  const agents = backends.map(() => new Agent({ keepAlive: true, maxSockets: 64 }))
  const ready = backends.map(() => false)
  const checks = backends.map((backend, index) => setInterval(() => {
    fetch(`${backend}/health/ready`, { signal: AbortSignal.timeout(1000) }).then(answer => { ready[index] = answer.ok }, () => { ready[index] = false })
  }, checkMs))
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    turn++
    const index = ready[turn % ready.length] === true ? turn % ready.length : ready.indexOf(true)
    if (index < 0) {
      outgoing.writeHead(502).end('no backend')
      return
    }
    const forwarded = httpRequest(new URL(incoming.url ?? '/', backends[index]), {
      method: incoming.method, headers: { ...incoming.headers, connection: 'keep-alive' }, agent: agents[index]
    })
    forwarded.on('response', (answer: IncomingMessage) => {
      const { connection: _hopByHop, 'keep-alive': _keepAlive, ...headers } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', error => { outgoing.writeHead(502).end(String(error)) })
    incoming.pipe(forwarded)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const check of checks) clearInterval(check)
    for (const agent of agents) agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  await until('a backend is ready', () => ready.every(Boolean))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

async function haproxy (t: Test, backends: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'haproxy-'))
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, `
defaults
  mode http
  timeout connect 2s
  timeout check 2s
  timeout client 30s
  timeout server 30s
  option httpchk GET /health/ready
  option redispatch
  retries 2
  http-reuse safe
frontend main
  bind 127.0.0.1:${port}
  default_backend service
backend service
  balance roundrobin
${backends.map((backend, index) => `  server s${index} ${new URL(backend).host} check inter ${checkMs}ms fall 2 rise 1`).join('\n')}
`)
  const child = spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  })
  const base = `http://127.0.0.1:${port}`
  await until('haproxy answers', async () => await fetch(`${base}/health/ready`).then(answer => answer.ok, () => false))
  return base
}

async function restartBoth (t: Test, balance: (t: Test, backends: readonly string[]) => Promise<string>): Promise<void> {
  const url = await testDatabase(t)
  const env = { DATABASE_URL: url, DRAIN_MS: String(drainMs) }
  const ports = [String(await freePort()), String(await freePort())]
  const start = async (port: string): Promise<Service> => await startService(t, { ...env, PORT: port })
  const services = await Promise.all(ports.map(start))
  const base = await balance(t, services.map(service => service.base))

  const authorization = `Bearer ${await token(adminClaims)}`
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => { agent.destroy() })
  const failures: string[] = []
  let answered = 0
  const end = new AbortController()
  const load = Array.from({ length: clients }, async (_none, index) => {
    while (!end.signal.aborted) {
      const outcome = await call(`${base}${index % 2 === 0 ? '/legal/status' : '/legal/versions/terms'}`, authorization, agent)
      if (outcome === 200) answered++
      else failures.push(String(outcome))
      await pause(Math.random() * longestPauseMs)
    }
  })
  for (const [index, port] of ports.entries()) {
    await pause(500)
    const old = services[index] as Service
    old.child.kill('SIGTERM')
    t.equal(await old.ended, 0, 'it drains and exits 0')
    await start(port)
    // Until the balancer has seen it.
    await pause(15 * checkMs)
  }
  end.abort()
  await Promise.all(load)
  t.same(failures, [], `not one of ${answered} requests failed`)
  t.ok(answered > 100)
}

function call (url: string, authorization: string, agent: Agent): Promise<number | string> {
  return new Promise(resolve => {
    const request = httpRequest(url, { agent, headers: { authorization } })
    request.on('response', (answer: IncomingMessage) => {
      answer.resume()
      answer.on('end', () => { resolve(answer.statusCode ?? 0) })
      answer.on('error', error => { resolve(String(error)) })
    })
    request.on('error', error => { resolve(String(error)) })
    request.end()
  })
}

// They mostly wait.
t.jobs = 2

t.test('two instances restarted one after the other behind a balancer fail no request', async t => {
  await restartBoth(t, ownBalancer)
})

t.test('the same behind haproxy', { skip: installed('haproxy') ? false : 'haproxy is not installed' }, async t => {
  await restartBoth(t, haproxy)
})

function installed (program: string): boolean {
  try {
    execFileSync(program, ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
