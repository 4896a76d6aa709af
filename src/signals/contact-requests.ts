import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { isId, newId } from '../kernel/ids.js'
import { Refusal } from '../kernel/refusal.js'
import type { StartupActor } from './assignments.js'
import type { ContactRequestQuery, Page, RequestContactBody } from './inputs.js'
import { selectPage } from './page.js'
import { contactRequestJson } from './records.js'
import type { Connection, ContactRequest, Signal } from './schemas.js'
import { type Actor, type LockedSignal, transition } from './transition.js'
import { type ApprovalStatus, type AssignmentType, IllegalMove } from './workflow.js'

const connectionColumns = [
  'id', 'signal_id as signalId', 'startup_id as startupId', 'contact_request_id as contactRequestId', 'created_at as createdAt'
] as const

const requestNotFound = () => new Refusal('not-found', 'Contact request not found')

/**
 * The startup that accepted a signal asks for contact. Refuses before anyone accepted (409), any other startup (403)
 * and a source that is not the way in which it came to the signal (400) (contract: request-contact).
 */
export async function requestContact (
  db: Kysely<Database>, signalId: string, actor: StartupActor, { requestSource, message }: RequestContactBody
): Promise<{ signal: Signal, contactRequest: ContactRequest }> {
  const { signal, rows } = await transition(db, { move: 'request_contact', signalId, actor, notes: message }, {
    inspect: async (trx, { id }) => {
      const accepted = await findAccepted(trx, id)
      if (accepted !== undefined && accepted.startupId !== actor.startupId) {
        throw new Refusal('forbidden', 'Only the startup that accepted the signal may request contact')
      }
      return { assignmentType: accepted?.assignmentType, aboutStartup: actor.startupId }
    },
    write: async (trx, { id }, { assignmentType }) => {
      if (requestSource !== assignmentType) throw new Refusal('invalid', `body.requestSource must be ${assignmentType}, as the assignment is`)
      const { rows } = await sql<{ contactRequest: ContactRequest }>`
        insert into contact_requests as r (id, signal_id, startup_id, request_source, message, requested_by)
        values (${newId()}, ${id}, ${actor.startupId}, ${requestSource}, ${message ?? null}, ${actor.userId})
        returning ${contactRequestJson('r')} as "contactRequest"
      `.execute(trx)
      return rows[0]?.contactRequest as ContactRequest
    }
  })
  return { signal, contactRequest: rows }
}

async function findAccepted (trx: Transaction<Database>, signalId: string): Promise<{ startupId: string, assignmentType: AssignmentType } | undefined> {
  return await trx.selectFrom('signal_assignments')
    .select(['startup_id as startupId', 'assignment_type as assignmentType'])
    .where('signal_id', '=', signalId).where('status', '=', 'accepted').executeTakeFirst()
}

/** Approves a request and makes its connection (specification: admin approve). Refuses one that is not pending (409). */
export async function approveRequest (
  db: Kysely<Database>, id: string, actor: Actor, reviewNotes: string | undefined
): Promise<{ signal: Signal, contactRequest: ContactRequest, connection: Connection }> {
  const { signalId, startupId } = await findRequest(db, id)
  const { signal, rows } = await transition(db, { move: 'approve_contact', signalId, actor, notes: reviewNotes }, {
    inspect: async () => ({ aboutStartup: startupId }),
    write: async (trx, before) => {
      const connectionId = newId()
      const contactRequest = await review(trx, before, id, actor, 'approved', reviewNotes, connectionId)
      return { contactRequest, connection: await connect(trx, connectionId, contactRequest) }
    }
  })
  return { signal, ...rows }
}

/** Rejects a request (specification: admin reject). Refuses one that is not pending (409). */
export async function rejectRequest (
  db: Kysely<Database>, id: string, actor: Actor, reviewNotes: string
): Promise<{ signal: Signal, contactRequest: ContactRequest }> {
  const { signalId, startupId } = await findRequest(db, id)
  const { signal, rows } = await transition(db, { move: 'reject_contact', signalId, actor, notes: reviewNotes }, {
    inspect: async () => ({ aboutStartup: startupId }),
    write: async (trx, before) => await review(trx, before, id, actor, 'rejected', reviewNotes, null)
  })
  return { signal, contactRequest: rows }
}

/** Signal and startup of a request never change, so they are read before the signal is locked. */
async function findRequest (db: Kysely<Database>, id: string): Promise<{ signalId: string, startupId: string }> {
  if (!isId(id)) throw requestNotFound()
  const row = await db.selectFrom('contact_requests').select(['signal_id as signalId', 'startup_id as startupId']).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw requestNotFound()
  return row
}

async function connect (trx: Transaction<Database>, id: string, request: ContactRequest): Promise<Connection> {
  return await trx.insertInto('connections')
    .values({ id, signal_id: request.signalId, startup_id: request.startupId, contact_request_id: request.id })
    .returning(connectionColumns).executeTakeFirstOrThrow()
}

/** The signal waits for the review of one request; an older one of the same signal has had its own. */
async function review (
  trx: Transaction<Database>, signal: LockedSignal, id: string, actor: Actor, status: 'approved' | 'rejected',
  notes: string | undefined, connectionId: string | null
): Promise<ContactRequest> {
  const { rows } = await sql<{ contactRequest: ContactRequest }>`
    update contact_requests r set status = ${status}, reviewed_by = ${actor.userId}, reviewed_at = statement_timestamp(),
      review_notes = ${notes ?? null}, connection_id = ${connectionId}
    where r.id = ${id} and r.status = 'pending'
    returning ${contactRequestJson('r')} as "contactRequest"
  `.execute(trx)
  const [row] = rows
  if (row === undefined) throw new IllegalMove(status === 'approved' ? 'approve_contact' : 'reject_contact', signal)
  return row.contactRequest
}

/** One contact request; refuses an unknown one (404). */
export async function readRequest (db: Kysely<Database>, id: string): Promise<ContactRequest> {
  if (!isId(id)) throw requestNotFound()
  const { rows } = await sql<{ record: ContactRequest }>`select ${contactRequestJson('r')} as record from contact_requests r where r.id = ${id}`.execute(db)
  const [row] = rows
  if (row === undefined) throw requestNotFound()
  return row.record
}

/** Contact requests, newest first, of all startups or of one. */
export async function listRequests (
  db: Kysely<Database>, query: ContactRequestQuery, page: Page, startupId?: string
): Promise<{ items: ContactRequest[], total: number }> {
  const { status, requestSource, signalId } = query
  const where: Array<RawBuilder<unknown>> = []
  if (startupId !== undefined) where.push(sql`r.startup_id = ${startupId}`)
  if (status !== undefined) where.push(sql`r.status = ${status satisfies ApprovalStatus}`)
  if (requestSource !== undefined) where.push(sql`r.request_source = ${requestSource}`)
  if (signalId !== undefined) where.push(isId(signalId) ? sql`r.signal_id = ${signalId}` : sql`false`)
  const { items, total } = await selectPage<{ id: string, record: ContactRequest }>(db, page, {
    from: sql`contact_requests r`,
    where,
    orderBy: sql`r.created_at desc, r.id desc`,
    key: sql`r.id`,
    columns: sql`r.id, ${contactRequestJson('r')} as record`,
    read: sql`contact_requests r`
  })
  return { items: items.map(item => item.record), total }
}

/** The connections made by approvals, newest first, of all startups or of one. */
export async function listConnections (db: Kysely<Database>, page: Page, startupId?: string): Promise<{ items: Connection[], total: number }> {
  return await selectPage<Connection>(db, page, {
    from: sql`connections c`,
    where: startupId === undefined ? [] : [sql`c.startup_id = ${startupId}`],
    orderBy: sql`c.created_at desc, c.id desc`,
    key: sql`c.id`,
    columns: sql`c.id, c.signal_id as "signalId", c.startup_id as "startupId", c.contact_request_id as "contactRequestId", c.created_at as "createdAt"`,
    read: sql`connections c`
  })
}
