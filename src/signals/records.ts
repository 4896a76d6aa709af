import { type RawBuilder, sql } from 'kysely'
import { isoTime } from '../database/sql.js'
import type { Connection, ContactRequest, SignalAssignment } from './schemas.js'

/* How rows become the API's objects, written once and used by every statement that answers with them. */

/** The stored columns of a signal that `signalColumns` needs, for `returning` in a statement that changes one. */
export const storedSignalColumns = sql.raw(`id, status, prior_status, is_public, is_active, is_archived, approval_status, title, description,
  visibility_level, solution_category, government_id, government_contact_id, created_by, published_at, published_by,
  created_at, updated_at`)

/** A signal as the API shows it, from `signals s` (or a change's `returning`) with `signalJoins`. */
export const signalColumns = sql.raw(`s.id, s.title, s.description, s.status, s.approval_status as "approvalStatus",
  s.is_public as "isPublic", s.is_active as "isActive", s.is_archived as "isArchived",
  coalesce(s.visibility_level, '') as "visibilityLevel", coalesce(s.solution_category, '') as "solutionCategory",
  (select coalesce(sum(v.views), 0)::bigint from signal_view_counters v where v.signal_id = s.id) as "viewCount",
  s.government_id as "governmentId",
  case when g.id is not null then json_build_object('id', g.id, 'name', g.name) end as government,
  s.government_contact_id as "governmentContactId",
  case when k.id is not null then json_strip_nulls(json_build_object(
    'id', k.id, 'governmentId', k.government_id, 'name', k.name, 'email', k.email, 'role', k.role)) end as "governmentContact",
  s.created_by as "createdBy", s.published_at as "publishedAt", s.published_by as "publishedBy",
  s.created_at as "createdAt", s.updated_at as "updatedAt"`)

export const signalJoins = sql.raw(`left join governments g on g.id = s.government_id
  left join government_contacts k on k.id = s.government_contact_id`)

/** A SignalAssignment of the table or alias. */
export function assignmentJson (from: string): RawBuilder<SignalAssignment> {
  const column = columnsOf(from)
  return sql`json_build_object('id', ${column('id')}, 'signalId', ${column('signal_id')}, 'startupId', ${column('startup_id')},
    'assignmentType', ${column('assignment_type')}, 'status', ${column('status')}, 'assignedBy', ${column('assigned_by')},
    'notes', ${column('notes')}, 'reason', ${column('reason')}, 'createdAt', ${isoTime(`${from}.created_at`)},
    'respondedAt', ${isoTime(`${from}.responded_at`)})`
}

/** A ContactRequest of the table or alias. */
export function contactRequestJson (from: string): RawBuilder<ContactRequest> {
  const column = columnsOf(from)
  return sql<ContactRequest>`jsonb_build_object('id', ${column('id')}, 'signalId', ${column('signal_id')}, 'startupId', ${column('startup_id')},
    'requestSource', ${column('request_source')}, 'status', ${column('status')}, 'approvalStatus', ${column('approval_status')},
    'message', ${column('message')}, 'requestedBy', ${column('requested_by')}, 'reviewedBy', ${column('reviewed_by')},
    'connectionId', ${column('connection_id')}, 'createdAt', ${isoTime(`${from}.created_at`)},
    'reviewedAt', ${isoTime(`${from}.reviewed_at`)})
    || jsonb_strip_nulls(jsonb_build_object('reviewNotes', ${column('review_notes')}))`
}

/** A Connection of the table or alias. */
export function connectionJson (from: string): RawBuilder<Connection> {
  const column = columnsOf(from)
  return sql`json_build_object('id', ${column('id')}, 'signalId', ${column('signal_id')}, 'startupId', ${column('startup_id')},
    'contactRequestId', ${column('contact_request_id')}, 'createdAt', ${isoTime(`${from}.created_at`)})`
}

function columnsOf (from: string): (name: string) => RawBuilder<unknown> {
  return name => sql.ref(`${from}.${name}`)
}
