import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/schema.js'
import type { PublishBody } from './inputs.js'
import type { Signal } from './schemas.js'
import { type Actor, noSteps, transition } from './transition.js'

/** Puts a signal in the pool (specification: admin publish to pool). Refusals as in `transition`. */
export async function publishSignal (db: Kysely<Database>, signalId: string, actor: Actor, { notes, visibilityLevel }: PublishBody): Promise<Signal> {
  const { signal } = await transition(db, {
    move: 'publish',
    signalId,
    actor,
    notes,
    alsoSet: sql`, published_at = statement_timestamp(), published_by = ${actor.userId},
      visibility_level = coalesce(${visibilityLevel ?? null}, visibility_level)`
  }, noSteps)
  return signal
}

/** Takes a signal out of the pool (contract: unpublish). Refusals as in `transition`. */
export async function unpublishSignal (db: Kysely<Database>, signalId: string, actor: Actor): Promise<Signal> {
  const { signal } = await transition(db, { move: 'unpublish', signalId, actor }, {
    inspect: async (trx, { id }) => await trx.selectFrom('signal_assignments')
      .select(count => count.fn.countAll<number>().as('openDirect'))
      .where('signal_id', '=', id).where('assignment_type', '=', 'direct').where('status', 'in', ['assigned', 'accepted'])
      .executeTakeFirstOrThrow(),
    write: noSteps.write
  })
  return signal
}

/** Archives a signal, or brings it back to exactly its prior status (contract: archive / unarchive). */
export async function archiveSignal (
  db: Kysely<Database>, move: 'archive' | 'unarchive', signalId: string, actor: Actor, notes: string | undefined
): Promise<Signal> {
  const { signal } = await transition(db, { move, signalId, actor, notes }, noSteps)
  return signal
}
