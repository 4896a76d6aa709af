import t, { type Test } from 'tap'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrateToLatest } from '../../src/database/migrate.js'
import { adminClaims, testApp, testDatabase } from '../helper.js'
import { freePort, until } from './service.js'

const version = installedVersion()
const [major = 0, minor = 0] = version ?? []
const skip = version === undefined ? 'pgbouncer is not installed' : false
const skipNamed = version !== undefined && (major > 1 || minor >= 21) ? false : 'no pgbouncer that has named statements (1.21) is installed'

t.test('through pgbouncer in transaction mode with DATABASE_PREPARED=false', { skip }, async t => {
  const url = await startPgbouncer(t, await testDatabase(t), [])
  await takeTour(t, url, { DATABASE_PREPARED: 'false' })
})

t.test('through pgbouncer in transaction mode with named statements', { skip: skipNamed }, async t => {
  const url = await startPgbouncer(t, await testDatabase(t), [
    'max_prepared_statements = 500',
    'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout'
  ])
  await takeTour(t, url, {})
})

/** Two instances share three connections of the server, and every kind of statement is run over and over. */
async function takeTour (t: Test, url: string, env: Record<string, string>): Promise<void> {
  t.same(await migrateToLatest(url), [], 'migrating works through it')
  const [one, two] = [await testApp(t, { url, env }), await testApp(t, { url, env })]
  const admin = await one.as(adminClaims)
  const publish = async (version: string): Promise<void> => {
    const { json: { id } } = await admin.post('/legal/admin/documents', {
      type: 'terms', version, title: 'Terms', content: 'Text', effectiveDate: '2026-01-01T00:00:00Z'
    })
    t.equal((await admin.post(`/legal/admin/documents/${id}/publish`)).status, 200)
  }
  await publish('1.0.0')
  await admin.put('/govintel/startups/startup-1', { name: 'One' })

  const statuses = await Promise.all(Array.from({ length: 60 }, async (_none, index) => {
    const app = index % 2 === 0 ? one : two
    const founder = await app.as({ sub: `founder-${index}`, startupId: 'startup-1' })
    const accepted = await founder.post('/legal/accept', { type: 'terms' })
    const status = await founder.get('/legal/status')
    const { json: signal } = await (await app.as(adminClaims)).post('/govintel/signals', { title: `Signal ${index}`, description: 'Text' })
    const published = await admin.post(`/govintel/signals/${signal.id}/publish`, {})
    const taken = await founder.post(`/signal-pool/${signal.id}/accept`, {})
    const found = await founder.get(`/signal-pool?search=Signal%20${index}`)
    return [accepted, status, published, taken, found].map(answer => answer.status).join()
  }))
  t.same(new Set(statuses), new Set(['201,200,200,201,200']))
  t.match((await admin.get('/legal/admin/acceptances')).json, { total: 60 })

  const anybody = await two.as()
  t.match((await anybody.get('/legal/current/terms')).json, { version: '1.0.0' })
  await publish('2.0.0')
  await until('the other instance, whose listener is deaf here, knows of the publish', async () =>
    (await anybody.get('/legal/current/terms')).json.version === '2.0.0', 3000)
}

async function startPgbouncer (t: Test, database: string, settings: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  await chmod(folder, 0o755)
  const port = await freePort()
  const server = new URL(database)
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, `
[databases]
* = host=${server.hostname} port=${server.port || 5432} user=${server.username}${server.password === '' ? '' : ` password=${server.password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
${settings.join('\n')}
`)
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...user, file], { stdio: 'ignore' })
  t.teardown(async () => {
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
    await rm(folder, { recursive: true })
  })
  const url = new URL(database)
  url.port = String(port)
  await until('pgbouncer answers', async () => {
    const client = new pg.Client({ connectionString: url.href })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select 1')
      return true
    } catch {
      return false
    } finally {
      await client.end()
    }
  })
  return url.href
}

function installedVersion (): number[] | undefined {
  try {
    return /(\d+)\.(\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }))?.slice(1).map(Number)
  } catch {
    return undefined
  }
}
