import type { Generated, GeneratedAlways } from 'kysely'
import type { ActorRole, Action, ApprovalStatus, AssignmentStatus, AssignmentType, Status } from './workflow.js'

/** Times are ISO 8601 texts in UTC with milliseconds, as the pool reads them. */
type Time = string

interface NamedRow {
  id: string
  name: string
  created_at: Generated<Time>
  updated_at: Generated<Time>
}

export type GovernmentRow = NamedRow
export type StartupRow = NamedRow

export interface GovernmentContactRow extends NamedRow {
  government_id: string
  email: string | null
  role: string | null
}

export interface SignalRow {
  id: string
  status: Generated<Status>
  prior_status: Status | null
  is_public: Generated<boolean>
  is_active: Generated<boolean>
  is_archived: GeneratedAlways<boolean>
  approval_status: GeneratedAlways<ApprovalStatus | null>
  title: string
  description: string
  visibility_level: string | null
  solution_category: string | null
  government_id: string | null
  government_contact_id: string | null
  search_text: string
  created_by: string
  published_at: Time | null
  published_by: string | null
  created_at: Generated<Time>
  updated_at: Generated<Time>
}

export interface SignalAssignmentRow {
  id: string
  signal_id: string
  startup_id: string
  assignment_type: AssignmentType
  status: AssignmentStatus
  assigned_by: string | null
  notes: string | null
  reason: string | null
  created_at: Generated<Time>
  responded_at: Time | null
}

export interface ContactRequestRow {
  id: string
  signal_id: string
  startup_id: string
  request_source: AssignmentType
  status: Generated<ApprovalStatus>
  approval_status: GeneratedAlways<ApprovalStatus>
  message: string | null
  requested_by: string
  reviewed_by: string | null
  review_notes: string | null
  connection_id: string | null
  created_at: Generated<Time>
  reviewed_at: Time | null
}

export interface ConnectionRow {
  id: string
  signal_id: string
  startup_id: string
  contact_request_id: string
  created_at: Generated<Time>
}

export interface SignalPoolViewRow {
  signal_id: string
  startup_id: string
  viewed_at: Time
}

export interface SignalViewCounterRow {
  signal_id: string
  shard: number
  views: number
}

export interface SignalStatusHistoryRow {
  id: string
  position: GeneratedAlways<number>
  signal_id: string
  action: Action
  from_status: Status | null
  to_status: Status
  actor_id: string
  actor_role: ActorRole
  startup_id: string | null
  notes: string | null
  created_at: Generated<Time>
}

export interface SignalTables {
  governments: GovernmentRow
  government_contacts: GovernmentContactRow
  startups: StartupRow
  signals: SignalRow
  signal_assignments: SignalAssignmentRow
  contact_requests: ContactRequestRow
  connections: ConnectionRow
  signal_pool_views: SignalPoolViewRow
  signal_view_counters: SignalViewCounterRow
  signal_status_history: SignalStatusHistoryRow
}
