import { type Kysely, sql } from 'kysely'
import { planPerValue } from '../database/pool.js'
import type { Database } from '../database/schema.js'
import { containsPattern } from '../database/sql.js'
import { splitPage } from '../kernel/paging.js'
import { Refusal } from '../kernel/refusal.js'
import type { OffsetPage } from '../kernel/schemas.js'
import type { RegisterUserBody, User } from './schemas.js'

const userColumns = [
  'id', 'email', 'first_name as firstName', 'last_name as lastName', 'terms_version as termsVersion',
  'terms_accepted_at as termsAcceptedAt', 'privacy_version as privacyVersion', 'privacy_accepted_at as privacyAcceptedAt',
  'created_at as createdAt'
] as const

/**
 * Users, newest first, whose e-mail or names contain `search` in any letter case (contract: Users). A search reads all
 * users, for there is no index of their texts: every user's first call would pay for what an admin seldom asks.
 */
export async function listUsers (
  db: Kysely<Database>, search: string | undefined, { limit, offset }: OffsetPage
): Promise<{ users: User[], total: number }> {
  const pattern = search === undefined ? undefined : containsPattern(search)
  const matching = pattern === undefined
    ? sql``
    : sql`where fold_case(email) like fold_case(${pattern}) or fold_case(first_name || ' ' || last_name) like fold_case(${pattern})`
  const total = pattern === undefined ? sql`user_count()` : sql`(select count(*) as total from users ${matching})`
  const { rows } = await sql<User & { total: number }>`${sql.raw(pattern === undefined ? '' : planPerValue)}
    select counted.total, page.id, page.email, page.first_name as "firstName", page.last_name as "lastName",
      page.terms_version as "termsVersion", page.terms_accepted_at as "termsAcceptedAt",
      page.privacy_version as "privacyVersion", page.privacy_accepted_at as "privacyAcceptedAt",
      page.created_at as "createdAt"
    from ${total} as counted (total)
    left join (
      select id, email, first_name, last_name, terms_version, terms_accepted_at, privacy_version, privacy_accepted_at, created_at
      from users ${matching}
      order by created_at desc, id desc limit ${limit} offset ${offset}
    ) page on true
    order by page.created_at desc, page.id desc
  `.execute(db)
  const { items: users, total: matches } = splitPage(rows)
  return { users, total: matches }
}

/** Registers a user ahead of its first call, or changes what is known of it (contract: Users). */
export async function registerUser (db: Kysely<Database>, id: string, body: RegisterUserBody): Promise<User> {
  const values = {
    email: body.email,
    ...(body.firstName !== undefined && { first_name: body.firstName }),
    ...(body.lastName !== undefined && { last_name: body.lastName })
  }
  return await db.insertInto('users').values({ id, ...values })
    .onConflict(conflict => conflict.column('id').doUpdateSet(values))
    .returning(userColumns).executeTakeFirstOrThrow()
}

/** Removes a user and its acceptances; refuses an unknown one (404). */
export async function removeUser (db: Kysely<Database>, id: string): Promise<void> {
  const removed = await db.deleteFrom('users').where('id', '=', id).returning('id').executeTakeFirst()
  if (removed === undefined) throw new Refusal('not-found', 'User not found')
}
