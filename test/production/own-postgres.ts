import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Test } from 'tap'
import { type PostgresServer, startPostgres } from '../../dev/postgres.js'
import { migrateToLatest } from '../../src/database/migrate.js'

const run = promisify(execFile)

/** A server that a test may break as it likes. */
export interface OwnPostgres {
  readonly url: string
  /** As a crash does it. */
  stop (): Promise<void>
  start (): Promise<void>
  /** Stops all processes of the server where they are. */
  freeze (): Promise<void>
  thaw (): Promise<void>
  /** A connection of the test's own, closed at its end. */
  connect (t: Test): Promise<pg.Client>
}

/** Starts an embedded server with a migrated database; the test's end removes it. */
export async function ownPostgres (t: Test, settings: Record<string, string> = {}): Promise<OwnPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'faults-'))
  await chmod(directory, 0o755)
  let server: PostgresServer = await startPostgres({ directory, settings })
  const { port, url } = server
  let frozen: number[] = []
  const thaw = async () => {
    for (const pid of frozen) signal(pid, 'SIGCONT')
    frozen = []
  }
  t.teardown(async () => {
    await thaw()
    await server.stop('immediate')
    await rm(directory, { recursive: true, force: true })
  })
  await migrateToLatest(url)
  return {
    url,
    thaw,
    stop: () => server.stop('immediate'),
    async start () {
      server = await startPostgres({ directory, settings, port })
    },
    async freeze () {
      // The parent first, so that no child is born unseen.
      signal(server.pid, 'SIGSTOP')
      const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(server.pid)])
      frozen = [server.pid, ...stdout.trim().split(/\s+/).map(Number)]
      for (const pid of frozen) signal(pid, 'SIGSTOP')
    },
    async connect (t) {
      const client = new pg.Client({ connectionString: url, application_name: 'test' })
      client.on('error', () => {})
      await client.connect()
      t.teardown(() => { client.end().catch(() => {}) })
      return client
    }
  }
}

function signal (pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
