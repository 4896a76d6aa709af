import type { Kysely } from 'kysely'
import { Batches } from '../database/batches.js'
import type { Database } from '../database/schema.js'
import { runFixed } from '../database/sql.js'
import type { Caller } from './caller.js'

/**
 * Creates the caller's user record, or refreshes it when the token's claims differ. A claim that the token lacks leaves
 * what is known. A record that was removed meanwhile comes back, whichever instance removed it (contract: User record;
 * Users).
 */
export type RecordCaller = (caller: Caller) => Promise<void>

/** Whether the user record `u` already says what the token says; the token's claims are columns of `w`. */
export const isRecordedText = `
  u.id is not null and w.email in ('', u.email) and w.first_name in ('', u.first_name) and w.last_name in ('', u.last_name)
`

const checkText = `
  select ${isRecordedText} as recorded
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as w (id, email, first_name, last_name, position)
  left join users u on u.id = w.id
  order by w.position
`

const writeText = `
  insert into users as u (id, email, first_name, last_name) values ($1, $2, $3, $4)
  on conflict (id) do update set
    email = coalesce(nullif(excluded.email, ''), u.email),
    first_name = coalesce(nullif(excluded.first_name, ''), u.first_name),
    last_name = coalesce(nullif(excluded.last_name, ''), u.last_name)
`

/** The token's claims as the parameters `$1` to `$4` of a statement that unnests them. */
export function claimColumns (callers: readonly Caller[]): string[][] {
  return [
    callers.map(({ userId }) => userId),
    callers.map(({ email }) => email),
    callers.map(({ firstName }) => firstName),
    callers.map(({ lastName }) => lastName)
  ]
}

/** Writes the user record of a caller. */
export async function writeCaller (db: Kysely<Database>, { userId, email, firstName, lastName }: Caller): Promise<void> {
  await runFixed(db, writeText, [userId, email, firstName, lastName])
}

/**
 * Looks first, in one statement for all who call at the same time, and writes only what differs: a database that has
 * become read-only still serves the reads of callers whom it knows.
 */
export function callerRecorder (db: Kysely<Database>): RecordCaller {
  const batches = new Batches<Caller, boolean>({
    flights: 2,
    size: 128,
    maximumWaiting: 5000,
    run: async callers => (await runFixed<{ recorded: boolean }>(db, checkText, claimColumns(callers))).map(({ recorded }) => recorded)
  })
  return async caller => {
    if (!await batches.add(caller)) await writeCaller(db, caller)
  }
}
