import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freshUsers } from './callers.js'
import { flooding, thousands, warmUp } from './flooding.js'
import { type Context, type Measure, ratioRow } from './measure.js'
import { cores } from './process.js'
import { compare } from './rounds.js'

/** Connections of the service's pool, and so pgbench's. */
const databaseConnections = 10
const crowd = 256
/** More than any machine of today serves. */
const freshPerSecond = 15_000

/** What the service writes for a user's first acceptance, as one statement. */
const script = `
with added as (
  insert into document_acceptances (id, user_id, document_id, type, version, accepted_at, ip_address, user_agent)
  select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(r, 1, 3) || '8' || substr(r, 4, 15))::uuid,
    'pgbench-' || r, d.id, d.type, d.version, clock_timestamp(), '203.0.113.7', 'Mozilla/5.0 (X11; Linux x86_64)'
  from legal_documents d, replace(gen_random_uuid()::text, '-', '') r where d.type = 'terms' and d.is_active
  returning user_id, version, accepted_at
)
insert into users (id, email, terms_version, terms_accepted_at)
select user_id, user_id || '@example.com', version, accepted_at from added;
`

const body = JSON.stringify({ type: 'terms', ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' })

/** F3: acceptances of users never seen before against pgbench doing the same writes, each committed to the disk. */
export const accept: Measure = {
  id: 'F3',
  title: 'POST accept of fresh users against pgbench with the same writes and the same fsync',
  async run (context) {
    if (!await hasPgbench()) return [{ id: 'F3', measure: 'POST accept : pgbench', skipped: 'pgbench is not installed' }]
    const database = await context.database(context.scale)
    const service = await context.service(database)
    const options = (connections: number) => ({
      recipe: () => ({ method: 'POST' as const, paths: ['/legal/accept'], body, callers: freshUsers(freshPerSecond * Math.ceil(context.seconds)) }),
      connections,
      status: 201,
      once: true
    })
    const rows = []
    for (const { connections, goal, name } of [
      { connections: databaseConnections, goal: 0.5, name: `${databaseConnections} clients` },
      { connections: crowd, goal: 1, name: `${crowd} clients, coalesced` }
    ]) {
      const ours = flooding(context, service, options(connections))
      await warmUp(context, service, options(connections))
      const found = await compare(context.rounds, ours.throughput, () => pgbench(context, database))
      rows.push(ratioRow('F3', `POST accept, ${name} : pgbench, ${databaseConnections} clients`, { at: 'least', value: goal }, found,
        `${thousands(found.ours)}/s vs ${thousands(found.yardstick)}/s; server CPU ${ours.cost().toFixed(0)} µs a request; fsync ${await fsync(context, database)}`))
    }
    await service.stop()
    return rows
  }
}

const run = promisify(execFile)

async function hasPgbench (): Promise<boolean> {
  return await run('pgbench', ['--version']).then(() => true, () => false)
}

async function pgbench ({ seconds }: Context, database: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  try {
    const file = join(folder, 'accept.sql')
    await writeFile(file, script)
    const url = new URL(database)
    const [program = '', ...args] = [...cores.load, 'pgbench', '-h', url.hostname, '-p', url.port || '5432', '-U', decodeURIComponent(url.username),
      '-n', '-M', 'prepared', '-c', String(databaseConnections), '-j', '1', '-T', String(Math.ceil(seconds)), '-f', file, url.pathname.slice(1)]
    const { stdout } = await run(program, args, { env: { ...process.env, PGPASSWORD: decodeURIComponent(url.password) } })
    const found = /tps = ([\d.]+)/.exec(stdout)
    if (found === null) throw new Error(`pgbench said nothing of its rate: ${stdout}`)
    return Number(found[1])
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function fsync (context: Context, database: string): Promise<string> {
  const [row] = await context.query<{ fsync: string, commit: string }>(database,
    "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit")
  return `${row?.fsync}, synchronous_commit ${row?.commit}`
}
