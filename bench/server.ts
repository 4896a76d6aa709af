import { fileURLToPath } from 'node:url'
import { startPostgres } from '../dev/postgres.js'

/** The PostgreSQL of a run. */
export interface BenchServer {
  readonly url: string
  stop (): Promise<void>
}

const directory = fileURLToPath(new URL('../.local/bench-postgres', import.meta.url))

/**
 * The embedded server of the bench, or the one that DATABASE_URL names, whose user must be a superuser. What is
 * committed is on the disk: nothing that makes writes safe is turned off.
 */
export async function findServer (): Promise<BenchServer> {
  const url = process.env['DATABASE_URL'] ?? ''
  if (url !== '') return { url, async stop () {} }
  const server = await startPostgres({
    directory,
    settings: { shared_buffers: '1GB', max_wal_size: '8GB', checkpoint_timeout: '15min', max_connections: '200' }
  })
  return { url: server.url, async stop () { await server.stopIfIdle() } }
}
