import { fileURLToPath } from 'node:url'
import { type PostgresServer, startPostgres } from '../dev/postgres.js'

const directory = fileURLToPath(new URL('../.local/test-postgres', import.meta.url))

/** The server of all runs of the suite in this folder. What it stores need not survive, so it never waits for the disk. */
export async function startTestPostgres (): Promise<PostgresServer> {
  return await startPostgres({
    directory,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      max_connections: '300'
    }
  })
}
