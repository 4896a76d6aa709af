import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/database/schema.js'
import { loadDocuments } from './documents.js'
import { loadSignals } from './signals.js'

const loadLock = 0x64656d6f

/** Fills what is empty with demo data. Two at once wait for each other. */
export async function loadDemo (db: Kysely<Database>): Promise<void> {
  await db.connection().execute(async connection => {
    await sql`select pg_advisory_lock(${loadLock})`.execute(connection)
    try {
      await loadDocuments(db)
      await loadSignals(db)
    } finally {
      await sql`select pg_advisory_unlock(${loadLock})`.execute(connection)
    }
  })
}
