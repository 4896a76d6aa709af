import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { adminEmail, secret } from './callers.js'
import { startLoad } from './load.js'
import type { Context } from './measure.js'
import { serve, type Served } from './process.js'
import { cloneDatabase, databaseUrl, dropDatabase, query, scaleName, seededDatabase } from './seed.js'

const local = new URL('../.local/bench/', import.meta.url)
const dist = new URL('../dist/', import.meta.url)

interface ContextOptions {
  readonly scale: number
  readonly rounds: number
  readonly seconds: number
  tell (text: string): void
}

/** What the measures share, and the function that ends and removes all of it. */
export function makeContext (serverUrl: string, { scale, rounds, seconds, tell }: ContextOptions): { context: Context, close: () => Promise<void> } {
  const load = startLoad()
  const databases = new Map<number, { readonly name: string, readonly url: Promise<string> }>()
  const running = new Set<Served>()

  async function start (options: Parameters<typeof serve>[0]): Promise<Served> {
    const served = await serve(options)
    const kept = {
      ...served,
      async stop () {
        running.delete(kept)
        await served.stop()
      }
    }
    running.add(kept)
    return kept
  }

  const context: Context = {
    scale,
    rounds,
    seconds,
    load,
    query,
    async database (size) {
      let database = databases.get(size)
      if (database === undefined) {
        const name = `bench_run_${scaleName(size)}_${randomBytes(4).toString('hex')}`
        const url = seededDatabase(serverUrl, size, tell).then(async seeded => await cloneDatabase(serverUrl, seeded, name))
        database = { name, url }
        databases.set(size, database)
      }
      return await database.url
    },
    async service (database, { env = {}, floating = false } = {}) {
      return await start({
        file: fileURLToPath(new URL('server.js', dist)),
        nodeOptions: startOptions(),
        env: { DATABASE_URL: database, JWT_SECRET: secret, ADMIN_EMAILS: adminEmail, DRAIN_MS: '0', ...env },
        log: fileURLToPath(new URL('service.log', local)),
        probe: '/health/ready',
        floating
      })
    },
    async yardstick (name, env = {}) {
      return await start({
        file: fileURLToPath(new URL(`build/bench/yardsticks/${name}.js`, local)),
        env,
        probe: '/none'
      })
    }
  }

  async function close (): Promise<void> {
    load.stop()
    await Promise.all([...running].map(async served => { await served.stop() }))
    for (const { name, url } of databases.values()) {
      await url.catch(() => {})
      await dropDatabase(databaseUrl(serverUrl, 'postgres'), name)
    }
  }

  return { context, close }
}

/** What `npm start` gives to Node: the service is measured as it ships. */
function startOptions (): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }
  return scripts.start.split(' ').filter(word => word.startsWith('--'))
}
