import t, { type Test } from 'tap'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { adminClaims, token } from '../helper.js'
import { type OwnPostgres, ownPostgres } from './own-postgres.js'
import { type Service, startService, until } from './service.js'

/** How long a fault lasts that could last any time; other times by this variable. */
const lasting = (ms: number): number => Number(process.env['FAULT_MS'] ?? ms)
const stoppedMs = lasting(5000)
const frozenMs = lasting(15_000)
const lockedMs = lasting(30_000)
const bearer = { authorization: `Bearer ${await token(adminClaims)}`, 'content-type': 'application/json' }

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

interface Result {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
  readonly ms: number
}

const status: Call = { method: 'GET', path: '/legal/status' }
const accept: Call = { method: 'POST', path: '/legal/accept', body: { type: 'terms' } }
/** A guard's statement, then a transaction of several. */
const create: Call = { method: 'POST', path: '/govintel/signals', body: { title: 'Title', description: 'Text' } }
const list: Call = { method: 'GET', path: '/legal/admin/documents' }
const needingDatabase = [status, accept, create, list]

async function send (service: Service, { method, path, body }: Call): Promise<Result> {
  const startedAt = performance.now()
  const answer = await fetch(service.base + path, {
    method, headers: bearer, ...(body !== undefined && { body: JSON.stringify(body) }), signal: AbortSignal.timeout(20_000)
  })
  const text = await answer.text()
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text, ms: performance.now() - startedAt }
}

/** What the service owes while its database is in trouble. */
async function checkTrouble (t: Test, service: Service, { calls = needingDatabase, ready = 503 } = {}): Promise<void> {
  const [results, live, document, readiness] = await Promise.all([
    Promise.all(calls.map(call => send(service, call))),
    send(service, { method: 'GET', path: '/health/live' }),
    send(service, { method: 'GET', path: '/openapi.json' }),
    send(service, { method: 'GET', path: '/health/ready' })
  ])
  for (const [index, result] of results.entries()) checkUnavailable(t, result, calls[index]?.path ?? '')
  t.equal(live.status, 200, 'alive')
  t.ok(live.ms < 1000, `and says so at once: ${Math.round(live.ms)} ms`)
  t.equal(document.status, 200, 'routes without the database go on')
  t.equal(readiness.status, ready, `readiness is ${ready}`)
  t.ok(readiness.ms < 10_000)
}

/** The same until the fault has lasted as long as it shall. */
async function checkLastingTrouble (t: Test, services: readonly Service[], ms: number, options: Parameters<typeof checkTrouble>[2] = {}): Promise<void> {
  const startedAt = performance.now()
  for (let left = ms; left > 0; left = ms - (performance.now() - startedAt)) {
    await Promise.all(services.map(async service => { await checkTrouble(t, service, options) }))
    await pause(500)
  }
}

function checkUnavailable (t: Test, result: Result, what: string): void {
  t.equal(result.status, 503, `${what} is 503`)
  t.match(result.retryAfter, /^\d+$/, `${what} says when to come back`)
  t.ok(result.ms < 10_000, `${what} within 10 s: ${Math.round(result.ms)} ms`)
  t.same(JSON.parse(result.text), { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
}

/** Everything answers again within 5 s of the fault's end, from the very process that met the fault. */
async function checkRecovery (t: Test, service: Service): Promise<void> {
  const endedAt = performance.now()
  await until('recovery', async () => {
    const answers = await Promise.all([...needingDatabase, { method: 'GET', path: '/health/ready' }].map(call => send(service, call)))
    return answers.every(answer => answer.status < 400)
  }, 5000)
  t.ok(performance.now() - endedAt < 5000, `recovered within ${Math.round(performance.now() - endedAt)} ms`)
  t.equal(service.child.exitCode, null, 'the process never ended')
}

async function publish (service: Service): Promise<void> {
  const document = { type: 'terms', version: '1.0.0', title: 'Terms', content: 'Text', effectiveDate: '2026-01-01T00:00:00Z' }
  const draft = JSON.parse((await send(service, { method: 'POST', path: '/legal/admin/documents', body: document })).text) as { id: string }
  await send(service, { method: 'POST', path: `/legal/admin/documents/${draft.id}/publish` })
}

async function terminateService (client: pg.Client): Promise<number> {
  const { rowCount } = await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'legal-signals%'")
  return rowCount ?? 0
}

/** Gives `work` a service in order, with an active document, on a server of its own. */
async function withService (t: Test, work: (postgres: OwnPostgres, service: Service) => Promise<void>): Promise<void> {
  const postgres = await ownPostgres(t, { max_connections: '30' })
  const service = await startService(t, { DATABASE_URL: postgres.url, DATABASE_POOL_MAX: '5' })
  await publish(service)
  await checkRecovery(t, service)
  await work(postgres, service)
  t.notOk(service.lines.some(line => Number(line['level']) >= 60), 'nothing fatal was logged')
}

// Each on a server of its own, so that they wait side by side.
t.jobs = 4

t.test('a lock held on everything', t => withService(t, async (postgres, service) => {
  const client = await postgres.connect(t)
  await client.query('begin')
  await client.query('lock table users, legal_documents, signals in access exclusive mode')
  await checkLastingTrouble(t, [service], lockedMs, { ready: 200 })
  await client.query('rollback')
  await checkRecovery(t, service)
}))

t.test('the server frozen, also for a service whose statements may take a minute', t => withService(t, async (postgres, service) => {
  const patient = await startService(t, { DATABASE_URL: postgres.url, DATABASE_STATEMENT_TIMEOUT_MS: '60000' })
  await checkRecovery(t, patient)
  await postgres.freeze()
  const leave = async (): Promise<void> => {
    const leaving = await startService(t, { DATABASE_URL: postgres.url })
    const leftAt = Date.now()
    leaving.child.kill('SIGTERM')
    t.equal(await leaving.ended, 0, 'a service that is told to end does so in order')
    t.ok(Date.now() - leftAt < 15_000, `within ${Date.now() - leftAt} ms`)
  }
  await Promise.all([checkLastingTrouble(t, [service, patient], frozenMs), leave()])
  await postgres.thaw()
  await Promise.all([checkRecovery(t, service), checkRecovery(t, patient)])
}))

t.test('connections lost', t => withService(t, async (postgres, service) => {
  await t.test('all of them terminated under load', async t => {
    const client = await postgres.connect(t)
    const results: Result[] = []
    const end = new AbortController()
    const load = Array.from({ length: 16 }, async (_none, index) => {
      while (!end.signal.aborted) results.push(await send(service, needingDatabase[index % needingDatabase.length] as Call))
    })
    for (let time = 0; time < 5; time++) {
      await pause(200)
      await until('connections to terminate', async () => await terminateService(client) > 0)
    }
    end.abort()
    await Promise.all(load)
    t.ok(results.some(result => result.status < 400), 'most of them answered')
    for (const result of results.filter(result => result.status >= 400)) checkUnavailable(t, result, 'a request that was under way')
    await checkRecovery(t, service)
  })

  await t.test('the server stopped at once and started again', async t => {
    await postgres.stop()
    await checkLastingTrouble(t, [service], stoppedMs)
    await postgres.start()
    await checkRecovery(t, service)
  })

  await t.test('the service started before its database', async t => {
    await postgres.stop()
    const early = await startService(t, { DATABASE_URL: postgres.url })
    await checkTrouble(t, early)
    await postgres.start()
    await checkRecovery(t, early)
  })
}))

t.test('connections refused, and writes', t => withService(t, async (postgres, service) => {
  await t.test('all connections of the server taken', async t => {
    const client = await postgres.connect(t)
    const taken: pg.Client[] = []
    // The service reconnects while the test takes: until none is left to it.
    for (let idle = 0; idle < 3;) {
      await terminateService(client)
      try {
        for (;;) taken.push(await postgres.connect(t))
      } catch {
        const { rows } = await client.query("select 1 from pg_stat_activity where application_name = 'legal-signals'")
        idle = rows.length === 0 ? idle + 1 : 0
      }
    }
    await checkTrouble(t, service)
    await Promise.all(taken.map(async other => { await other.end() }))
    await checkRecovery(t, service)
  })

  await t.test('the database made read-only', async t => {
    const client = await postgres.connect(t)
    await client.query('alter system set default_transaction_read_only = on')
    await client.query('select pg_reload_conf()')
    await until('read-only', async () => (await send(service, create)).status === 503)
    await checkTrouble(t, service, { calls: [create], ready: 200 })
    t.equal((await send(service, { method: 'GET', path: '/legal/versions/terms' })).status, 200, 'public reading goes on')
    await client.query('set default_transaction_read_only = off')
    await client.query('alter system reset default_transaction_read_only')
    await client.query('select pg_reload_conf()')
    await checkRecovery(t, service)
  })
}))
