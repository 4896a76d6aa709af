import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { isId } from '../kernel/ids.js'
import type { Page, PoolQuery } from './inputs.js'
import type { Signal } from './schemas.js'
import { searchPattern } from './search.js'
import { selectSignals } from './signals.js'
import { signalNotFound } from './transition.js'
import { statusesBefore } from './workflow.js'

/** What makes a signal s part of the pool: exactly these three flags (specification: GET /signal-pool). */
export const inPool = sql`s.is_public and s.is_active and not s.is_archived`

const shards = 32

/** The pool, newest publication first (contract: pool listing). */
export async function listPool (db: Kysely<Database>, query: PoolQuery, page: Page): Promise<{ items: Signal[], total: number }> {
  const { visibilityLevel, solutionCategory, search = '', available = false } = query
  const where: Array<RawBuilder<unknown>> = [inPool]
  if (visibilityLevel !== undefined) where.push(sql`s.visibility_level = ${visibilityLevel}`)
  if (solutionCategory !== undefined) where.push(sql`s.solution_category = ${solutionCategory}`)
  if (search !== '') where.push(sql`s.search_text like ${searchPattern(search)}`)
  if (available) where.push(sql`s.status in (${sql.join(statusesBefore('pool_accept'))})`)
  return await selectSignals(db, page, where, sql`s.published_at`, search !== '')
}

/**
 * Records a startup's view and counts it, in one statement: both or neither. Refuses a signal that is not in the pool
 * (404). The shard goes by connection, so that hardly ever two at once wait for one counter.
 */
export async function recordView (db: Kysely<Database>, signalId: string, startupId: string): Promise<void> {
  if (!isId(signalId)) throw signalNotFound()
  const { rows } = await sql`
    with viewed as (
      insert into signal_pool_views (signal_id, startup_id, viewed_at)
      select s.id, ${startupId}, statement_timestamp() from signals s where s.id = ${signalId} and ${inPool}
      on conflict (signal_id, startup_id) do update set viewed_at = excluded.viewed_at
      returning signal_id
    )
    insert into signal_view_counters as c (signal_id, shard, views)
    select signal_id, pg_backend_pid() % ${sql.lit(shards)}, 1 from viewed
    on conflict (signal_id, shard) do update set views = c.views + 1
    returning views
  `.execute(db)
  if (rows.length === 0) throw signalNotFound()
}
