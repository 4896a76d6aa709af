import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { newId } from '../kernel/ids.js'
import { Refusal } from '../kernel/refusal.js'
import type { AssignBody } from './inputs.js'
import { assignmentJson } from './records.js'
import type { Signal, SignalAssignment } from './schemas.js'
import { type Actor, signalNotFound, transition } from './transition.js'
import { type AssignmentStatus, IllegalMove } from './workflow.js'

/** A startup as an actor. */
export interface StartupActor extends Actor {
  readonly startupId: string
}

interface Answered {
  signal: Signal
  assignment: SignalAssignment
}

/**
 * Assigns a signal directly to startups, each once (specification: admin assign). Refuses an unknown startup (400);
 * nothing is created then.
 */
export async function assignSignal (
  db: Kysely<Database>, signalId: string, actor: Actor, { startupIds, notes }: AssignBody
): Promise<{ signal: Signal, assignments: SignalAssignment[] }> {
  const wanted = [...new Set(startupIds)]
  const { signal, rows } = await transition(db, { move: 'assign', signalId, actor, notes }, {
    inspect: async () => ({}),
    write: async (trx, { id }) => {
      const { rows } = await sql<{ assignment: SignalAssignment }>`
        insert into signal_assignments as a (id, signal_id, startup_id, assignment_type, status, assigned_by, notes)
        select w.id, ${id}::uuid, k.id, 'direct', 'assigned', ${actor.userId}, ${notes ?? null}
        from unnest(${wanted.map(() => newId())}::uuid[], ${wanted}::text[]) with ordinality as w (id, startup_id, place)
        join startups k on k.id = w.startup_id
        order by w.place
        returning ${assignmentJson('a')} as assignment
      `.execute(trx)
      const assignments = rows.map(row => row.assignment)
      const unknown = wanted.filter(startupId => !assignments.some(assignment => assignment.startupId === startupId))
      if (unknown.length > 0) throw new Refusal('invalid', `body.startupIds names no known startup: ${unknown.join(', ')}`)
      return assignments
    }
  })
  return { signal, assignments: rows }
}

/**
 * A startup accepts what was assigned to it; the others' open assignments become superseded. Refuses a caller never
 * assigned (404) and an assignment already answered (409) (contract: accept).
 */
export async function acceptAssignment (db: Kysely<Database>, signalId: string, actor: StartupActor, notes: string | undefined): Promise<Answered> {
  const { signal, rows } = await transition(db, { move: 'accept', signalId, actor, notes }, {
    inspect: async (trx, { id }) => await findOwn(trx, id, actor.startupId),
    write: async (trx, before, own) => {
      if (own.status !== 'assigned') throw new IllegalMove('accept', before)
      const assignment = await answer(trx, own.id, sql`status = 'accepted', notes = coalesce(${notes ?? null}, notes)`)
      await supersedeOpen(trx, before.id)
      return assignment
    }
  })
  return { signal, assignment: rows }
}

/**
 * A startup takes a signal from the pool: its assignment of type pool is created and accepted at once (specification:
 * startup accept from pool). Refuses a signal that is not in the pool (404) or was taken before (409).
 */
export async function acceptFromPool (db: Kysely<Database>, signalId: string, actor: StartupActor, justification: string | undefined): Promise<Answered> {
  const { startupId } = actor
  const { signal, rows } = await transition(db, { move: 'pool_accept', signalId, actor, notes: justification }, {
    inspect: async (_trx, before) => {
      if (!before.isPublic || !before.isActive || before.status === 'archived') throw signalNotFound()
      return {}
    },
    write: async (trx, { id }) => {
      await supersedeOpen(trx, id)
      const { rows } = await sql<{ assignment: SignalAssignment }>`
        insert into signal_assignments as a (id, signal_id, startup_id, assignment_type, status, notes, responded_at)
        values (${newId()}, ${id}, ${startupId}, 'pool', 'accepted', ${justification ?? null}, statement_timestamp())
        returning ${assignmentJson('a')} as assignment
      `.execute(trx)
      return rows[0]?.assignment as SignalAssignment
    }
  })
  return { signal, assignment: rows }
}

/** A startup declines what was assigned to it. Refusals as in `acceptAssignment` (contract: decline). */
export async function declineAssignment (db: Kysely<Database>, signalId: string, actor: StartupActor, reason: string | undefined): Promise<Answered> {
  const { signal, rows } = await transition(db, { move: 'decline', signalId, actor, notes: reason }, {
    inspect: async (trx, { id }) => await findOwn(trx, id, actor.startupId),
    write: async (trx, before, own) => {
      if (own.status !== 'assigned') throw new IllegalMove('decline', before)
      return await answer(trx, own.id, sql`status = 'declined', reason = ${reason ?? null}`)
    }
  })
  return { signal, assignment: rows }
}

interface OwnAssignment {
  readonly id: string
  readonly status: AssignmentStatus
  /** Open direct assignments of others. */
  readonly openDirect: number
}

/** The startup's open assignment of the signal, or else its latest; refuses when it never had one (404). */
async function findOwn (trx: Transaction<Database>, signalId: string, startupId: string): Promise<OwnAssignment> {
  const { rows } = await sql<OwnAssignment>`
    select a.id, a.status, (
      select count(*) from signal_assignments o
      where o.signal_id = ${signalId} and o.startup_id <> ${startupId}
        and o.assignment_type = 'direct' and o.status in ('assigned', 'accepted')
    ) as "openDirect"
    from signal_assignments a
    where a.signal_id = ${signalId} and a.startup_id = ${startupId}
    order by a.status in ('assigned', 'accepted') desc, a.created_at desc, a.id desc
    limit 1
  `.execute(trx)
  const [own] = rows
  if (own === undefined) throw new Refusal('not-found', 'Assignment not found')
  return own
}

/** The acceptance of one startup ends the chances of all others. */
async function supersedeOpen (trx: Transaction<Database>, signalId: string): Promise<void> {
  await trx.updateTable('signal_assignments').set({ status: 'superseded' })
    .where('signal_id', '=', signalId).where('status', '=', 'assigned').execute()
}

async function answer (trx: Transaction<Database>, id: string, changes: ReturnType<typeof sql>): Promise<SignalAssignment> {
  const { rows } = await sql<{ assignment: SignalAssignment }>`
    update signal_assignments a set ${changes}, responded_at = statement_timestamp()
    where a.id = ${id} and a.status = 'assigned'
    returning ${assignmentJson('a')} as assignment
  `.execute(trx)
  return rows[0]?.assignment as SignalAssignment
}
