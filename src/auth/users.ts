import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { runFixed } from '../database/sql.js'
import type { Caller } from './caller.js'

const recordText = `
  insert into users as u (id, email, first_name, last_name)
  select $1::text, $2::text, $3::text, $4::text
  where not exists (
    select from users where id = $1
      and $2 in ('', email) and $3 in ('', first_name) and $4 in ('', last_name)
  )
  on conflict (id) do update set
    email = coalesce(nullif(excluded.email, ''), u.email),
    first_name = coalesce(nullif(excluded.first_name, ''), u.first_name),
    last_name = coalesce(nullif(excluded.last_name, ''), u.last_name)
`

/**
 * Creates the caller's user record, or refreshes it when the token's claims differ. One round trip, and no write when
 * the record is already what the token says. A claim that the token lacks leaves what is known. A record that was
 * removed meanwhile comes back, whichever instance removed it (contract: User record; Users).
 */
export async function recordCaller (db: Kysely<Database>, caller: Caller): Promise<void> {
  const { userId, email, firstName, lastName } = caller
  await runFixed(db, recordText, [userId, email, firstName, lastName])
}
