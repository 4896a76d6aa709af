import { type RawBuilder, sql } from 'kysely'

/** A time as it leaves the service, for use inside of SQL's own JSON; elsewhere the pool's type parser does it. */
export function isoTime (reference: string): RawBuilder<string> {
  return sql`to_char(${sql.ref(reference)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A pattern for `like` that matches the text literally, anywhere. */
export function containsPattern (text: string): string {
  return `%${text.replace(/[\\%_]/g, character => `\\${character}`)}%`
}
