import { readdir, readFile } from 'node:fs/promises'
import { Kysely, type Migration, type MigrationProvider, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'

/** The numbered SQL files, beside `src` and beside the built `dist`. */
export const migrationsFolder = new URL('../../migrations/', import.meta.url)

/** Reads `NNNN_name.sql` files as forward-only migrations. */
class SqlFiles implements MigrationProvider {
  async getMigrations (): Promise<Record<string, Migration>> {
    const files = (await readdir(migrationsFolder)).filter(file => file.endsWith('.sql')).sort()
    return Object.fromEntries(files.map(file => [file.slice(0, -'.sql'.length), {
      async up (db: Kysely<unknown>) {
        await sql.raw(await readFile(new URL(file, migrationsFolder), 'utf8')).execute(db)
      }
    }]))
  }
}

/**
 * Brings the database up to the newest migration, in one transaction, and returns the names of those that it ran.
 * Many instances may call it at once: an advisory lock lets one run them and the others find nothing left to do.
 */
export async function migrateToLatest (databaseUrl: string): Promise<string[]> {
  // No timeouts here: building an index may take longer than any request may.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, connectionTimeoutMillis: 10_000, application_name: 'legal-signals migrate' })
  // Whoever waits on the connection is told; without listeners its loss would end the process with a bare stack.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    const { error, results } = await new Migrator({ db, provider: new SqlFiles() }).migrateToLatest()
    if (error !== undefined) throw error
    return (results ?? []).map(result => result.migrationName)
  } finally {
    await db.destroy()
  }
}
