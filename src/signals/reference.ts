import { type Kysely, type RawBuilder, sql } from 'kysely'
import { violatedConstraint } from '../database/errors.js'
import type { Database } from '../database/schema.js'
import { Refusal } from '../kernel/refusal.js'
import { PlatformId } from '../kernel/schemas.js'
import type { GovernmentContactBody, NameBody, Page } from './inputs.js'
import { selectPage } from './page.js'
import type { Government, GovernmentContact, Startup } from './schemas.js'

const platformId = new RegExp(PlatformId.pattern as string)
const rememberedStartups = 10_000

type NamedTable = 'startups' | 'governments'

const namedColumns = ['id', 'name', 'created_at as createdAt', 'updated_at as updatedAt'] as const

/** Registers or renames a startup; an id that cannot be one of the platform's names nothing (404). */
export async function putStartup (db: Kysely<Database>, id: string, body: NameBody): Promise<Startup> {
  return await putNamed(db, 'startups', id, body, 'Startup not found')
}

/** Registers or renames a government; an id that cannot be one of the platform's names nothing (404). */
export async function putGovernment (db: Kysely<Database>, id: string, body: NameBody): Promise<Government> {
  return await putNamed(db, 'governments', id, body, 'Government not found')
}

async function putNamed (db: Kysely<Database>, table: NamedTable, id: string, { name }: NameBody, unknown: string): Promise<Startup & Government> {
  if (!platformId.test(id)) throw new Refusal('not-found', unknown)
  return await db.insertInto(table).values({ id, name })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ name, updated_at: sql`statement_timestamp()` }))
    .returning(namedColumns).executeTakeFirstOrThrow()
}

/** Registers or replaces a contact; refuses an unknown government (400) and an impossible id (404). */
export async function putGovernmentContact (db: Kysely<Database>, id: string, body: GovernmentContactBody): Promise<GovernmentContact> {
  if (!platformId.test(id)) throw new Refusal('not-found', 'Government contact not found')
  const { governmentId, name, email = null, role = null } = body
  const values = { government_id: governmentId, name, email, role }
  try {
    const row = await db.insertInto('government_contacts').values({ id, ...values })
      .onConflict(conflict => conflict.column('id').doUpdateSet({ ...values, updated_at: sql`statement_timestamp()` }))
      .returning([...namedColumns, 'government_id as governmentId', 'email', 'role']).executeTakeFirstOrThrow()
    return withoutNulls(row)
  } catch (error) {
    if (violatedConstraint(error) !== 'government_contacts_government_id_fkey') throw error
    throw new Refusal('invalid', `body.governmentId names no known government: ${governmentId}`)
  }
}

/** Startups by name. */
export async function listStartups (db: Kysely<Database>, page: Page): Promise<{ items: Startup[], total: number }> {
  return await selectNamed<Startup>(db, page, sql`startups n`)
}

/** Governments by name. */
export async function listGovernments (db: Kysely<Database>, page: Page): Promise<{ items: Government[], total: number }> {
  return await selectNamed<Government>(db, page, sql`governments n`)
}

/** Government contacts by name. */
export async function listGovernmentContacts (db: Kysely<Database>, page: Page): Promise<{ items: GovernmentContact[], total: number }> {
  const { items, total } = await selectNamed<ContactRow>(db, page, sql`government_contacts n`, sql`, n.government_id as "governmentId", n.email, n.role`)
  return { items: items.map(withoutNulls), total }
}

async function selectNamed<Row extends { id: string }> (db: Kysely<Database>, page: Page, table: RawBuilder<unknown>, more = sql``): Promise<{ items: Row[], total: number }> {
  return await selectPage<Row>(db, page, {
    from: table,
    where: [],
    orderBy: sql`n.name, n.id`,
    key: sql`n.id`,
    columns: sql`n.id, n.name, n.created_at as "createdAt", n.updated_at as "updatedAt" ${more}`,
    read: table
  })
}

type ContactRow = Omit<GovernmentContact, 'email' | 'role'> & { email: string | null, role: string | null }

/** E-mail and role are optional fields: absent, not null, when unknown. */
function withoutNulls ({ email, role, ...row }: ContactRow): GovernmentContact {
  return { ...row, ...(email !== null && { email }), ...(role !== null && { role }) }
}

/**
 * Tells whether the platform knows a startup, for the startup scope. Startups are never removed, so one that was found
 * once is not looked up again.
 */
export function startupDirectory (db: Kysely<Database>): (id: string) => Promise<boolean> {
  const known = new Set<string>()
  return async id => {
    if (known.has(id)) return true
    if (!platformId.test(id)) return false
    const row = await db.selectFrom('startups').select('id').where('id', '=', id).executeTakeFirst()
    if (row === undefined) return false
    if (known.size >= rememberedStartups) known.clear()
    known.add(id)
    return true
  }
}
