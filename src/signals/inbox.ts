import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { isId } from '../kernel/ids.js'
import type { InboxQuery, Page } from './inputs.js'
import { selectPage } from './page.js'
import { inPool } from './pool.js'
import { assignmentJson, signalColumns, signalJoins } from './records.js'
import type { InboxItem, Signal, SignalAssignment } from './schemas.js'
import { signalNotFound } from './transition.js'

type InboxRow = Signal & { assignment: SignalAssignment | null }

/** A startup's assignments with their signals, newest first (contract: endpoints the specification leaves out). */
export async function listInbox (db: Kysely<Database>, startupId: string, query: InboxQuery, page: Page): Promise<{ items: InboxItem[], total: number }> {
  const { status, assignmentStatus, assignmentType, archived = false } = query
  const where: Array<RawBuilder<unknown>> = [sql`a.startup_id = ${startupId}`, archived ? sql`s.is_archived` : sql`not s.is_archived`]
  if (status !== undefined) where.push(sql`s.status = ${status}`)
  if (assignmentStatus !== undefined) where.push(sql`a.status = ${assignmentStatus}`)
  if (assignmentType !== undefined) where.push(sql`a.assignment_type = ${assignmentType}`)
  const { items, total } = await selectPage<InboxRow>(db, page, {
    from: sql`signal_assignments a join signals s on s.id = a.signal_id`,
    where,
    orderBy: sql`a.created_at desc, a.id desc`,
    key: sql`a.id`,
    columns: sql`${signalColumns}, ${assignmentJson('a')} as assignment`,
    read: sql`signal_assignments a`,
    joins: sql`join signals s on s.id = a.signal_id ${signalJoins}`
  })
  return { items: items.map(toItem), total }
}

/**
 * One signal as a startup sees it, with its open or else latest assignment. Refuses one that is neither assigned to
 * the startup, now or before, nor in the pool (404).
 */
export async function readInboxItem (db: Kysely<Database>, startupId: string, signalId: string): Promise<InboxItem> {
  if (!isId(signalId)) throw signalNotFound()
  const { rows } = await sql<InboxRow>`
    select ${signalColumns}, case when a.id is not null then ${assignmentJson('a')} end as assignment
    from signals s ${signalJoins}
    left join lateral (
      select id, signal_id, startup_id, assignment_type, status, assigned_by, notes, reason, created_at, responded_at
      from signal_assignments
      where signal_id = s.id and startup_id = ${startupId}
      order by status in ('assigned', 'accepted') desc, created_at desc, id desc limit 1
    ) a on true
    where s.id = ${signalId} and (a.id is not null or (${inPool}))
  `.execute(db)
  const [row] = rows
  if (row === undefined) throw signalNotFound()
  return toItem(row)
}

function toItem ({ assignment, ...signal }: InboxRow): InboxItem {
  return { assignment, signal }
}
