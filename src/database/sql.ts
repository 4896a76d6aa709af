import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.js'

/** A time as it leaves the service, for use inside of SQL's own JSON; elsewhere the pool's type parser does it. */
export function isoTime (reference: string): RawBuilder<string> {
  return sql`to_char(${sql.ref(reference)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A pattern for `like` that matches the text literally, anywhere. */
export function containsPattern (text: string): string {
  return `%${text.replace(/[\\%_]/g, character => `\\${character}`)}%`
}

/**
 * Runs a statement whose text is always the same, its parameters written `$1`, `$2` and so on, and returns its rows. For
 * the hottest statements: the builder would put their text together anew on each call, which costs more than sending it.
 */
export async function runFixed<Row> (db: Kysely<Database>, text: string, parameters: unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(text, parameters) as CompiledQuery<Row>)
  return rows
}
