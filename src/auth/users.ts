import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/schema.js'
import type { Caller } from './caller.js'

/**
 * Creates the caller's user record, or refreshes it when the token's claims differ. One round trip, and no write when
 * the record is already what the token says. A claim that the token lacks leaves what is known. A record that was
 * removed meanwhile comes back, whichever instance removed it (contract: User record; Users).
 */
export async function recordCaller (db: Kysely<Database>, caller: Caller): Promise<void> {
  const { userId, email, firstName, lastName } = caller
  await sql`
    insert into users as u (id, email, first_name, last_name)
    select ${userId}, ${email}, ${firstName}, ${lastName}
    where not exists (
      select from users where id = ${userId}
        and ${email} in ('', email) and ${firstName} in ('', first_name) and ${lastName} in ('', last_name)
    )
    on conflict (id) do update set
      email = coalesce(nullif(excluded.email, ''), u.email),
      first_name = coalesce(nullif(excluded.first_name, ''), u.first_name),
      last_name = coalesce(nullif(excluded.last_name, ''), u.last_name)
  `.execute(db)
}

/** Whether a user record, its columns null when there is none, already says what the token says. */
export function isRecorded (caller: Caller, row: { email: string | null, firstName: string | null, lastName: string | null }): boolean {
  return row.email !== null &&
    ['', row.email].includes(caller.email) &&
    ['', row.firstName].includes(caller.firstName) &&
    ['', row.lastName].includes(caller.lastName)
}
