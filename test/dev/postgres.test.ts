import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t, { type Test } from 'tap'
import { type PostgresOptions, type PostgresServer, startPostgres } from '../../dev/postgres.js'

const settings = { fsync: 'off', shared_buffers: '16MB' }

interface Launched {
  readonly server: PostgresServer
  kill (): Promise<void>
}

// The tests share a cluster, as making one takes most of the time.
const directory = t.testdir()

// Root's clusters lie outside of the test's folder.
const clusters = new Set<string>()
t.teardown(async () => {
  for (const cluster of clusters) await rm(cluster, { recursive: true, force: true })
})

t.test('starts, listens on loopback only, keeps its data and stops', async t => {
  const first = await start(t, { directory, settings: { ...settings, max_connections: '37' } })
  t.equal(first.adopted, false)
  t.match(await query(first.url, "select current_setting('listen_addresses') as address, current_setting('unix_socket_directories') as sockets, current_setting('max_connections') as connections, version()"),
    { address: '127.0.0.1', sockets: '', connections: '37', version: /^PostgreSQL 18/ })
  await query(first.url, 'create table kept as select 42 as answer')
  await first.stop()
  await t.rejects(query(first.url, 'select 1'), 'nobody answers any more')
  await first.stop()

  const second = await start(t, { directory, settings })
  t.equal(second.adopted, false)
  t.same(await query(second.url, 'select answer from kept'), { answer: 42 })
  t.same(await query(second.url, 'show max_connections'), { max_connections: '100' })
})

t.test('letters of every script are letters', async t => {
  const server = await start(t, { directory, settings })
  await query(server.url, 'create extension pg_trgm')
  t.same(await query(server.url, "select lower('ÄЖΣ') as lower, show_trgm('жук') <> '{}' as trigrams"), { lower: 'äжσ', trigrams: true })
})

t.test('a running server is adopted, and stopped by the last one who leaves', async t => {
  const first = await start(t, { directory, settings })
  const second = await start(t, { directory })
  t.match(second, { adopted: true, pid: first.pid, url: first.url })
  t.equal(await first.stopIfIdle(), false, 'the other one still needs it')
  const client = await connect(second.url)
  t.equal(await second.stopIfIdle(), false, 'a client still needs it')
  await client.end()
  const third = await start(t, { directory })
  t.equal(third.adopted, true)
  t.equal(await third.stopIfIdle(), true)
  t.equal(await third.stopIfIdle(), true, 'it is gone already')
  await t.rejects(query(third.url, 'select 1'))
})

t.test('two first starts at once get one server, in one process and in several', async t => {
  const folder = t.testdir({ one: {}, several: {} })
  const one = join(folder, 'one')
  const several = join(folder, 'several')
  const servers = await Promise.all([start(t, { directory: one, settings }), start(t, { directory: one, settings })])
  t.equal(new Set(servers.map(server => server.pid)).size, 1)
  t.equal(servers.filter(server => server.adopted).length, 1)
  for (const server of servers) t.same(await query(server.url, 'select 1 as one'), { one: 1 })

  const launched = await Promise.all([0, 1, 2].map(async () => await launch(t, several)))
  t.equal(new Set(launched.map(({ server }) => server.pid)).size, 1)
  t.equal(launched.filter(({ server }) => !server.adopted).length, 1)
  t.match(await start(t, { directory: several }), { adopted: true, pid: launched[0]?.server.pid })
})

t.test('a server outlives a launcher that is killed, and is then stopped by the next one', async t => {
  const launched = await launch(t, directory)
  await launched.kill()
  t.same(await query(launched.server.url, 'select 1 as one'), { one: 1 })
  const next = await start(t, { directory })
  t.match(next, { adopted: true, pid: launched.server.pid })
  t.equal(await next.stopIfIdle(), true)
})

t.test('starts again after everything was killed', async t => {
  const launched = await launch(t, directory)
  await query(launched.server.url, 'create table survived as select 42 as answer')
  const busy = await connect(launched.server.url)
  busy.on('error', () => {})
  const sleeping = t.rejects(busy.query('select pg_sleep(60)'))
  await launched.kill()
  process.kill(launched.server.pid, 'SIGKILL')
  t.match(await readFile(join(launched.server.directory, 'postmaster.pid'), 'utf8'), String(launched.server.pid), 'its file stays behind')

  await occupy(t, launched.server.port)
  const server = await start(t, { directory, settings })
  await sleeping
  t.equal(server.adopted, false)
  t.same(await query(server.url, 'select answer from survived'), { answer: 42 })
})

t.test('a process number that was given to another program is no running server', async t => {
  const first = await start(t, { directory, settings })
  const file = join(first.directory, 'postmaster.pid')
  const text = await readFile(file, 'utf8')
  await first.stop()
  const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'])
  t.teardown(() => stranger.kill())
  await writeFile(file, text.replace(/^\d+/, String(stranger.pid)))
  const second = await start(t, { directory, settings })
  t.equal(second.adopted, false)
  t.same(await query(second.url, 'select 1 as one'), { one: 1 })
})

t.test('a crash on demand, and the reason when it cannot start', async t => {
  const server = await start(t, { directory, settings })
  await server.stop('immediate')
  await t.rejects(query(server.url, 'select 1'))
  const port = await occupy(t, 0)
  await t.rejects(startPostgres({ directory, settings, port }), /could not bind.*Address already in use/s)
})

async function start (t: Test, options: PostgresOptions): Promise<PostgresServer> {
  const server = await startPostgres(options)
  t.teardown(async () => {
    await server.stop()
    clusters.add(dirname(server.directory))
  })
  return server
}

/** Starts it from a process of its own, which stays a member until it is killed; the server is for the test to stop. */
async function launch (t: Test, directory: string): Promise<Launched> {
  const program = fileURLToPath(new URL('launch.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, directory], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  const [line] = await once(child.stdout, 'data') as [Buffer]
  const server = JSON.parse(line.toString()) as PostgresServer
  return { server, kill }
}

/** Takes a port as a program that is no PostgreSQL. */
async function occupy (t: Test, port: number): Promise<number> {
  const stranger = createServer(socket => socket.destroy())
  t.teardown(() => stranger.close())
  // The processes of a killed server hold its port for a moment.
  while (!stranger.listening) {
    stranger.listen(port, '127.0.0.1')
    await once(stranger, 'listening').catch(async () => { await pause(20) })
  }
  return (stranger.address() as AddressInfo).port
}

async function connect (url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

async function query (url: string, sql: string): Promise<unknown> {
  const client = await connect(url)
  try {
    return (await client.query(sql)).rows[0]
  } finally {
    await client.end()
  }
}
