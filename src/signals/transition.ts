import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { inTransaction } from '../database/transaction.js'
import { isId, newId } from '../kernel/ids.js'
import { Refusal } from '../kernel/refusal.js'
import { signalColumns, signalJoins, storedSignalColumns } from './records.js'
import type { Signal } from './schemas.js'
import { actorOf, decide, IllegalMove, type Move, type SignalState } from './workflow.js'

/** Who acts: the user, and for a startup's action the startup. */
export interface Actor {
  readonly userId: string
  readonly startupId?: string
}

/** What is asked of a signal; `notes` is whatever free text comes with it, for the history. */
export interface Order {
  readonly move: Move
  readonly signalId: string
  readonly actor: Actor
  readonly notes?: string | undefined
  /** Columns that change together with the status: `, column = value`. */
  readonly alsoSet?: RawBuilder<unknown>
}

/** A signal whose row is locked until the transaction ends. */
export interface LockedSignal extends SignalState {
  readonly id: string
  readonly isActive: boolean
}

/** What a move reads and writes beside the signal's own row. */
export interface Steps<Facts extends Partial<MoveFacts>, Rows> {
  /** Reads under the lock what the decision needs, and refuses what is refused whatever the status: 404, 403. */
  inspect (trx: Transaction<Database>, signal: LockedSignal): Promise<Facts>
  /** Writes the rows beside the signal, once the map allows the move. May still refuse. */
  write (trx: Transaction<Database>, signal: LockedSignal, facts: Facts): Promise<Rows>
}

/** The facts that the transition itself uses. */
export interface MoveFacts {
  /** How many direct assignments will be open after the move. */
  readonly openDirect: number
  /** The startup that an admin's action is about, for the history. */
  readonly aboutStartup: string
}

export const signalNotFound = () => new Refusal('not-found', 'Signal not found')

/**
 * The one way in which a signal's status changes: lock the row, inspect, decide by the map, write the rows beside it,
 * then the guarded update with its history row, all in one transaction. Answers the signal after it and what `write`
 * returned. Refuses an unknown signal (404) and what the map does not allow (409, with the current status and the
 * allowed actions); a refusal changes nothing.
 */
export async function transition<Facts extends Partial<MoveFacts>, Rows> (
  db: Kysely<Database>, order: Order, steps: Steps<Facts, Rows>
): Promise<{ signal: Signal, rows: Rows }> {
  try {
    return await inTransaction(db, async trx => {
      const before = await lockSignal(trx, order.signalId)
      const facts = await steps.inspect(trx, before)
      const after = decide(order.move, before, facts.openDirect ?? 0)
      const rows = await steps.write(trx, before, facts)
      const signal = await moveSignal(trx, order, before, after, facts.aboutStartup)
      return { signal, rows }
    })
  } catch (error) {
    if (!(error instanceof IllegalMove)) throw error
    const { message, currentStatus, allowedActions } = error
    throw new Refusal('conflict', message, { currentStatus, allowedActions })
  }
}

/** The steps of a move that concerns the signal's own row alone. */
export const noSteps: Steps<Record<never, never>, undefined> = {
  inspect: async () => ({}),
  write: async () => undefined
}

/** No key column ever changes, and this lock, unlike `for update`, lets rows that refer to the signal be added. */
async function lockSignal (trx: Transaction<Database>, id: string): Promise<LockedSignal> {
  if (!isId(id)) throw signalNotFound()
  const signal = await trx.selectFrom('signals')
    .select(['id', 'status', 'prior_status as priorStatus', 'is_public as isPublic', 'is_active as isActive'])
    .where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  if (signal === undefined) throw signalNotFound()
  return signal
}

async function moveSignal (
  trx: Transaction<Database>, { move, actor, notes, alsoSet = sql`` }: Order, { id, status: from }: LockedSignal, to: SignalState,
  aboutStartup: string | undefined
): Promise<Signal> {
  const { rows } = await sql<Signal>`
    with moved as (
      update signals set status = ${to.status}, prior_status = ${to.priorStatus}, is_public = ${to.isPublic},
        updated_at = statement_timestamp() ${alsoSet}
      where id = ${id} and status = ${from}
      returning ${storedSignalColumns}
    ), recorded as (
      insert into signal_status_history (id, signal_id, action, from_status, to_status, actor_id, actor_role, startup_id, notes)
      select ${newId()}::uuid, id, ${move}, ${from}, status, ${actor.userId}, ${actorOf(move)}, ${actor.startupId ?? aboutStartup ?? null}, ${notes ?? null}
      from moved
    )
    select ${signalColumns} from moved s ${signalJoins}
  `.execute(trx)
  const [signal] = rows
  if (signal === undefined) throw new Error(`Signal ${id} changed under its lock`)
  return signal
}
