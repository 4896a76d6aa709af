import t, { type Test } from 'tap'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { buildApp } from '../../src/app.js'
import { loadConfig } from '../../src/config.js'
import { createDatabase } from '../../src/database/client.js'
import { adminClaims, adminEmail, secret, testDatabase, token } from '../helper.js'

interface Line {
  readonly level: number
  readonly msg: string
  readonly [name: string]: unknown
}

/** The real application, and the lines that it has logged. */
async function loggedApp (t: Test, url: string) {
  const lines: Line[] = []
  const config = loadConfig({ DATABASE_URL: url, JWT_SECRET: secret, ADMIN_EMAILS: adminEmail, LOG_LEVEL: 'debug' })
  const database = createDatabase(config.database, () => {})
  const app = await buildApp({ config, database, log: { write: (line: string) => { lines.push(JSON.parse(line) as Line) } } })
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  return { app, lines, requests: () => lines.filter(line => line.msg === 'request') }
}

t.test('a request is one line with method, route pattern, status, duration, request id, user id and outcome', async t => {
  const { app, requests } = await loggedApp(t, await testDatabase(t))
  const authorization = `Bearer ${await token(adminClaims)}`
  await app.inject({ url: '/legal/admin/documents/some-id?token=query-secret', headers: { authorization, 'x-request-id': 'mine-1' } })
  await app.inject('/legal/current/terms')
  await app.inject({ method: 'POST', url: '/legal/accept', headers: { authorization }, payload: { type: 'terms', ipAddress: 'body-secret', more: 1 } })
  await app.inject('/nowhere/query-secret')
  await app.inject('/health/live')
  await app.inject({ url: '/legal/current/%zz-path-secret', headers: { 'x-request-id': 'mine-2' } })
  const lines = requests()
  t.equal(lines.length, 6)
  t.match(lines[0], {
    level: 30, reqId: 'mine-1', method: 'GET', route: '/legal/admin/documents/:id', status: 404, ms: Number, user: 'admin-1', outcome: 'refused'
  })
  t.match(lines[1], { route: '/legal/current/:type', status: 404 })
  t.notOk('user' in (lines[1] as Line), 'nobody is named on a public route')
  t.match(lines[2], { method: 'POST', route: '/legal/accept', status: 400, user: 'admin-1' })
  t.match(lines[3], { method: 'GET', status: 404, outcome: 'refused' })
  t.notOk('route' in (lines[3] as Line))
  t.match(lines[4], { route: '/health/live', status: 200, outcome: 'ok' })
  t.match(lines[5], { reqId: 'mine-2', method: 'GET', status: 400, ms: Number, outcome: 'refused' }, 'also for a path that cannot be decoded')
  t.notOk('route' in (lines[5] as Line))
})

t.test('tokens, bodies and query strings are in no line, not even at level debug', async t => {
  const { app, lines } = await loggedApp(t, await testDatabase(t))
  const good = await token(adminClaims)
  for (const authorization of [`Bearer ${good}`, `Bearer ${good.slice(0, -4)}AAAA`, 'Bearer not-a-token-at-all']) {
    await app.inject({
      method: 'POST',
      url: '/legal/admin/documents?query-secret=query-secret',
      headers: { authorization, cookie: 'cookie-secret' },
      payload: { type: 'terms', version: '1.0.0', title: 'body-secret', content: 'body-secret', effectiveDate: '2026-01-01T00:00:00Z' }
    })
  }
  await app.inject({ method: 'POST', url: '/legal/accept', headers: { authorization: `Bearer ${good}`, 'content-type': 'application/json' }, payload: '{"body-secret' })
  const written = JSON.stringify(lines)
  t.ok(lines.length >= 4)
  for (const word of [good, good.split('.')[2] as string, 'not-a-token-at-all', 'query-secret', 'cookie-secret', 'body-secret', 'authorization']) {
    t.notOk(written.includes(word), `${word.slice(0, 20)} is not logged`)
  }
})

t.test('a failure of ours is logged with its causes and stacks, and answered without them', async t => {
  const { app, lines, requests } = await loggedApp(t, 'postgres://postgres@127.0.0.1:1/nothing')
  const answer = await app.inject({ url: '/legal/current/terms', headers: { 'x-request-id': 'down-1' } })
  t.equal(answer.statusCode, 503)
  t.notMatch(answer.body, /ECONNREFUSED|stack|127\.0\.0\.1/)
  const failure = lines.find(line => line.msg === 'request failed')
  t.match(failure, {
    level: 50,
    reqId: 'down-1',
    err: { type: 'DatabaseUnavailable', message: 'No database connection', stack: /pool\.ts/, cause: { code: 'ECONNREFUSED', stack: String } }
  })
  t.match(requests()[0], { status: 503, outcome: 'unavailable' })
})

t.test('a request whose client is gone before its answer is one line too', async t => {
  const url = await testDatabase(t)
  const { app, requests } = await loggedApp(t, url)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('begin')
  await holder.query('lock table users')
  const bearer = await token(adminClaims)
  const abandon = async (head: string[]): Promise<void> => {
    const socket = connect(port, '127.0.0.1')
    socket.write([...head, 'host: x', `authorization: Bearer ${bearer}`, '', ''].join('\r\n'))
    await pause(300)
    socket.destroy()
  }
  await abandon(['GET /legal/status HTTP/1.1', 'x-request-id: waits'])
  await abandon(['POST /legal/accept HTTP/1.1', 'x-request-id: sends', 'content-type: application/json', 'content-length: 20'])
  await pause(300)
  await holder.end()
  await pause(500)
  t.match(requests().filter(line => line['reqId'] === 'waits'), [{ method: 'GET', route: '/legal/status', ms: Number, outcome: 'aborted' }])
  t.match(requests().filter(line => line['reqId'] === 'sends'), [{ method: 'POST', route: '/legal/accept', outcome: 'aborted' }])
  t.equal(requests().length, 2)
  t.notOk('status' in (requests()[0] as Line), 'nobody got a status')
})

t.test('the driver\'s details, which quote rows, are not logged', async t => {
  const { app, lines } = await loggedApp(t, await testDatabase(t))
  const error = Object.assign(new Error('violates something'), { code: '23514', detail: 'Failing row contains (row-secret)', constraint: 'some_check' })
  app.log.error({ err: error }, 'example')
  t.match(lines.at(-1), { err: { code: '23514', constraint: 'some_check', message: 'violates something' } })
  t.notOk(JSON.stringify(lines).includes('row-secret'))
})

t.test('a request\'s line has the fields of every other line, and is not older than a second in a service without traffic', async t => {
  const script = `
    import { logDestination } from './src/kernel/logging.ts'
    const destination = logDestination()
    destination.writeRequest({ time: 1, reqId: 'a', method: 'GET', route: undefined, status: 404, ms: 0.5, user: undefined, outcome: 'refused' })
    setTimeout(() => {}, 60_000)
  `
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [first] = await once(child.stdout.setEncoding('utf8'), 'data') as [string]
  t.same(JSON.parse(first), {
    level: 30, time: 1, pid: child.pid, hostname: hostname(), reqId: 'a', method: 'GET', status: 404, ms: 0.5, outcome: 'refused', msg: 'request'
  })
})

t.test('an output that is shared by several workers is written in pieces that a pipe does not tear', async t => {
  const script = `
    import fs from 'node:fs'
    const { write } = fs
    const sizes = []
    fs.write = (descriptor, data, ...rest) => {
      if (descriptor === 1) sizes.push(Buffer.byteLength(data))
      return write(descriptor, data, ...rest)
    }
    const { logDestination } = await import('./src/kernel/logging.ts')
    const destination = logDestination({ shared: true })
    const request = { time: 0, method: 'GET', route: '/', status: 200, ms: 1, user: 'someone', outcome: 'ok' }
    for (let number = 0; number < 500; number++) destination.writeRequest({ ...request, reqId: String(number) })
    await destination.flush()
    console.error(JSON.stringify(sizes))
    process.exit()
  `
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let report = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => { output += chunk })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { report += chunk })
  await once(child, 'close')
  t.equal(output.trimEnd().split('\n').length, 500)
  const sizes = JSON.parse(report) as number[]
  t.ok(sizes.length > 10)
  t.ok(sizes.every(size => size <= 4096), `the largest has ${Math.max(...sizes)} bytes`)
})

t.test('at level warn and above requests are not logged', async t => {
  const lines: string[] = []
  const config = loadConfig({ DATABASE_URL: 'postgres://127.0.0.1:1/nothing', JWT_SECRET: secret, LOG_LEVEL: 'warn' })
  const database = createDatabase(config.database, () => {})
  const app = await buildApp({ config, database, log: { write: (line: string) => { lines.push(line) } } })
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  await app.inject('/health/live')
  t.same(lines, [])
})

for (const end of ['process.exit(3)', 'process.nextTick(() => { throw new Error("unexpected") })', 'undefined']) {
  t.test(`buffered lines survive the end of the process by ${end}`, async t => {
    const script = `
      import { createLogger, logDestination } from './src/kernel/logging.ts'
      const destination = logDestination()
      const logger = createLogger('info', destination)
      const request = { time: 0, method: 'GET', route: '/', status: 200, ms: 1, user: 'Zoë "quoted" \\n', outcome: 'ok' }
      for (let number = 0; number < 2000; number++) {
        if (number % 10 === 0) logger.info({ reqId: String(number) }, 'line')
        else destination.writeRequest({ ...request, reqId: String(number) })
      }
      ${end}
    `
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => { output += chunk })
    await once(child, 'close')
    const lines = output.trimEnd().split('\n').map(line => JSON.parse(line) as Line)
    t.same(lines.map(({ reqId }) => Number(reqId)), [...Array(2000).keys()], 'in the order in which they were written')
    t.equal(lines[1]?.['user'], 'Zoë "quoted" \n')
  })
}
