import { type Kysely, type RawBuilder, sql } from 'kysely'
import { violatedConstraint } from '../database/errors.js'
import type { Database } from '../database/schema.js'
import { inTransaction } from '../database/transaction.js'
import { isId, newId } from '../kernel/ids.js'
import { Refusal } from '../kernel/refusal.js'
import type { CreateSignalBody, EditSignalBody, Page, SignalListQuery } from './inputs.js'
import { selectPage } from './page.js'
import { assignmentJson, connectionJson, contactRequestJson, signalColumns, signalJoins, storedSignalColumns } from './records.js'
import type { Signal, SignalDetail, StatusHistoryEntry } from './schemas.js'
import { searchPattern, searchText } from './search.js'
import { type Actor, signalNotFound } from './transition.js'
import { allowedActions } from './workflow.js'

/** Creates a signal and the first row of its history; refuses an unknown government or contact (400). */
export async function createSignal (db: Kysely<Database>, actor: Actor, body: CreateSignalBody): Promise<Signal> {
  const { rows } = await knownReferences(body, sql<Signal>`
    with created as (
      insert into signals (id, title, description, visibility_level, solution_category, government_id, government_contact_id,
        search_text, created_by)
      values (${newId()}, ${body.title}, ${body.description}, ${body.visibilityLevel ?? null}, ${body.solutionCategory ?? null},
        ${body.governmentId ?? null}, ${body.governmentContactId ?? null}, ${searchText(body.title, body.description)}, ${actor.userId})
      returning ${storedSignalColumns}
    ), recorded as (
      insert into signal_status_history (id, signal_id, action, to_status, actor_id, actor_role)
      select ${newId()}::uuid, id, 'create', status, ${actor.userId}, 'admin' from created
    )
    select ${signalColumns} from created s ${signalJoins}
  `.execute(db))
  return rows[0] as Signal
}

/** Changes the given descriptive fields and `isActive`; refuses an unknown signal (404), government or contact (400). */
export async function editSignal (db: Kysely<Database>, id: string, body: EditSignalBody): Promise<SignalDetail> {
  if (!isId(id)) throw signalNotFound()
  await knownReferences(body, inTransaction(db, async trx => {
    const before = await trx.selectFrom('signals').select(['title', 'description']).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
    if (before === undefined) throw signalNotFound()
    const { title = before.title, description = before.description } = body
    await trx.updateTable('signals').set({
      title,
      description,
      search_text: searchText(title, description),
      ...(body.visibilityLevel !== undefined && { visibility_level: body.visibilityLevel }),
      ...(body.solutionCategory !== undefined && { solution_category: body.solutionCategory }),
      ...(body.governmentId !== undefined && { government_id: body.governmentId }),
      ...(body.governmentContactId !== undefined && { government_contact_id: body.governmentContactId }),
      ...(body.isActive !== undefined && { is_active: body.isActive }),
      updated_at: sql`statement_timestamp()`
    }).where('id', '=', id).execute()
  }))
  return await readSignal(db, id)
}

/** A signal with all that hangs on it, in one round trip; refuses an unknown one (404). */
export async function readSignal (db: Kysely<Database>, id: string): Promise<SignalDetail> {
  if (!isId(id)) throw signalNotFound()
  const { rows } = await sql<Omit<SignalDetail, 'allowedActions'>>`
    select ${signalColumns},
      (select coalesce(json_agg(${assignmentJson('a')} order by a.created_at, a.id), '[]')
        from signal_assignments a where a.signal_id = s.id) as assignments,
      (select coalesce(json_agg(${contactRequestJson('r')} order by r.created_at, r.id), '[]')
        from contact_requests r where r.signal_id = s.id) as "contactRequests",
      (select coalesce(json_agg(${connectionJson('c')} order by c.created_at, c.id), '[]')
        from connections c where c.signal_id = s.id) as connections
    from signals s ${signalJoins}
    where s.id = ${id}
  `.execute(db)
  const [signal] = rows
  if (signal === undefined) throw signalNotFound()
  return { ...signal, allowedActions: allowedActions(signal) }
}

/** Signals, newest first; archived ones only when asked for (contract: endpoints the specification leaves out). */
export async function listSignals (db: Kysely<Database>, query: SignalListQuery, page: Page): Promise<{ items: Signal[], total: number }> {
  const { isPublic, solutionCategory, search = '' } = query
  const where = [whichStatus(query)]
  if (isPublic !== undefined) where.push(isPublic ? sql`s.is_public` : sql`not s.is_public`)
  if (solutionCategory !== undefined) where.push(sql`s.solution_category = ${solutionCategory}`)
  if (search !== '') where.push(sql`s.search_text like ${searchPattern(search)}`)
  return await selectSignals(db, page, where, sql`s.created_at`, search !== '')
}

/** The archive is a status like the others, so that no condition on the flag is needed beside one on the status. */
function whichStatus ({ status, isArchived = status === 'archived' }: SignalListQuery): RawBuilder<unknown> {
  if (isArchived) return status === undefined || status === 'archived' ? sql`s.status = 'archived'` : sql`false`
  if (status === undefined) return sql`not s.is_archived`
  return status === 'archived' ? sql`false` : sql`s.status = ${status}`
}

/** A page of signals under the given conditions on `signals s`, the newest by the given time first. */
export async function selectSignals (
  db: Kysely<Database>, page: Page, where: ReadonlyArray<RawBuilder<unknown>>, newestBy: RawBuilder<unknown>, searches: boolean
): Promise<{ items: Signal[], total: number }> {
  return await selectPage<Signal>(db, page, {
    from: sql`signals s`,
    where,
    orderBy: sql`${newestBy} desc, s.id desc`,
    key: sql`s.id`,
    columns: signalColumns,
    read: sql`signals s`,
    joins: signalJoins,
    ...(searches && { searchedBy: newestBy })
  })
}

/** Everything that happened to a signal, oldest first; refuses an unknown one (404) (contract: status-history). */
export async function readHistory (db: Kysely<Database>, signalId: string): Promise<StatusHistoryEntry[]> {
  if (!isId(signalId)) throw signalNotFound()
  const rows = await db.selectFrom('signal_status_history')
    .select([
      'id', 'signal_id as signalId', 'action', 'from_status as fromStatus', 'to_status as toStatus', 'actor_id as actorId',
      'actor_role as actorRole', 'startup_id as startupId', 'notes', 'created_at as createdAt'
    ])
    .where('signal_id', '=', signalId).orderBy('position').execute()
  // No signal is without its first row.
  if (rows.length === 0) throw signalNotFound()
  return rows
}

/** Waits for a write and turns an unknown government or contact into a refusal (400) that names the field. */
async function knownReferences<T> (body: EditSignalBody, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    switch (violatedConstraint(error)) {
      case 'signals_government_id_fkey': throw new Refusal('invalid', `body.governmentId names no known government: ${body.governmentId}`)
      case 'signals_government_contact_id_fkey': throw new Refusal('invalid', `body.governmentContactId names no known contact: ${body.governmentContactId}`)
      default: throw error
    }
  }
}
