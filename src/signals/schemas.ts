import { type ObjectOptions, type Static, type TProperties, Type } from '@sinclair/typebox'
import { DateTime, ErrorBody, NullableDateTime, NullableString, PlatformId, ref, StringEnum } from '../kernel/schemas.js'
import {
  actions, actorRoles, approvalStatuses, assignmentStatuses, assignmentTypes, type ApprovalStatus, moves, type Status, statuses
} from './workflow.js'

export const StatusName = StringEnum(statuses)
export const AssignmentTypeName = StringEnum(assignmentTypes)
export const AssignmentStatusName = StringEnum(assignmentStatuses)
export const RequestStatusName = StringEnum(approvalStatuses)

const NullableStatus = Type.Unsafe<Status | null>({ type: ['string', 'null'], enum: [...statuses, null] })
const NullableApprovalStatus = Type.Unsafe<ApprovalStatus | null>({
  type: ['string', 'null'], enum: [...approvalStatuses, null], description: 'The older field, kept in step with `status`.'
})

/** One schema with two types: unlike `anyOf` it serialises without validating. */
function NullableObject<T extends TProperties> (fields: T, options: ObjectOptions = {}) {
  const object = Type.Object(fields, options)
  return Type.Unsafe<Static<typeof object> | null>({ ...object, type: ['object', 'null'] })
}

const signalId = '019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f'
const requestId = '019a4c25-7c10-7a55-b3d1-0f1e2d3c4b5a'
const connectionId = '019a4c26-1d20-7b66-84c2-a1b2c3d4e5f6'
const time = '2026-01-15T09:30:00.000Z'
const recordTimes = { createdAt: DateTime, updatedAt: DateTime }

const exampleGovernment = { id: 'gov-harbour', name: 'Harbour City Council' }
const exampleContact = { id: 'contact-ines', governmentId: 'gov-harbour', name: 'Ines Okafor', email: 'ines@example.org', role: 'Innovation lead' }

export const Startup = Type.Object({ id: PlatformId, name: Type.String(), ...recordTimes }, {
  $id: 'Startup', examples: [{ id: 'startup-aurora', name: 'Aurora Sensing', createdAt: time, updatedAt: time }]
})
export type Startup = Static<typeof Startup>

const governmentFields = { id: PlatformId, name: Type.String() }
export const Government = Type.Object({ ...governmentFields, ...recordTimes }, {
  $id: 'Government', examples: [{ ...exampleGovernment, createdAt: time, updatedAt: time }]
})
export type Government = Static<typeof Government>

const contactFields = {
  id: PlatformId,
  governmentId: PlatformId,
  name: Type.String(),
  email: Type.Optional(Type.String()),
  role: Type.Optional(Type.String())
}
export const GovernmentContact = Type.Object({ ...contactFields, ...recordTimes }, {
  $id: 'GovernmentContact', examples: [{ ...exampleContact, createdAt: time, updatedAt: time }]
})
export type GovernmentContact = Static<typeof GovernmentContact>

const signalFields = {
  id: Type.String(),
  title: Type.String(),
  description: Type.String(),
  status: StatusName,
  approvalStatus: NullableApprovalStatus,
  isPublic: Type.Boolean({ description: 'In the public pool.' }),
  isActive: Type.Boolean(),
  isArchived: Type.Boolean(),
  visibilityLevel: Type.String({ description: 'Empty when unknown.' }),
  solutionCategory: Type.String({ description: 'Empty when unknown.' }),
  viewCount: Type.Integer({ description: 'Recorded pool views, repeated ones included.' }),
  governmentId: NullableString,
  government: NullableObject(governmentFields),
  governmentContactId: NullableString,
  governmentContact: NullableObject(contactFields),
  createdBy: Type.String(),
  publishedAt: NullableDateTime,
  publishedBy: NullableString,
  ...recordTimes
}
const exampleSignal = {
  id: signalId,
  title: 'Quieter night buses',
  description: 'Residents along three routes report noise after midnight.',
  status: 'signal_assigned',
  approvalStatus: null,
  isPublic: true,
  isActive: true,
  isArchived: false,
  visibilityLevel: 'national',
  solutionCategory: 'Mobility',
  viewCount: 12,
  governmentId: exampleGovernment.id,
  government: exampleGovernment,
  governmentContactId: exampleContact.id,
  governmentContact: exampleContact,
  createdBy: 'admin-1',
  publishedAt: time,
  publishedBy: 'admin-1',
  createdAt: time,
  updatedAt: time
}

/** Specification: Signal. */
export const Signal = Type.Object(signalFields, { $id: 'Signal', examples: [exampleSignal] })
export type Signal = Static<typeof Signal>

const assignmentFields = {
  id: Type.String(),
  signalId: Type.String(),
  startupId: PlatformId,
  assignmentType: AssignmentTypeName,
  status: AssignmentStatusName,
  assignedBy: Type.Unsafe<string | null>({ ...NullableString, description: 'The admin; null when the startup took the signal from the pool.' }),
  notes: Type.Unsafe<string | null>({ ...NullableString, description: 'What came with the assignment or its acceptance, the later replacing the earlier; the history keeps both.' }),
  reason: Type.Unsafe<string | null>({ ...NullableString, description: 'Why the startup declined.' }),
  createdAt: DateTime,
  respondedAt: NullableDateTime
}

/** Specification: SignalAssignment. */
export const SignalAssignment = Type.Object(assignmentFields, {
  $id: 'SignalAssignment',
  examples: [{
    id: '019a4c20-0d11-7e02-8a44-5f60718293a4',
    signalId,
    startupId: 'startup-aurora',
    assignmentType: 'direct',
    status: 'accepted',
    assignedBy: 'admin-1',
    notes: 'We can start in March.',
    reason: null,
    createdAt: time,
    respondedAt: time
  }]
})
export type SignalAssignment = Static<typeof SignalAssignment>

/** Specification: ContactRequest. `reviewNotes` is an optional field: absent, not null, when there are none. */
export const ContactRequest = Type.Object({
  id: Type.String(),
  signalId: Type.String(),
  startupId: PlatformId,
  requestSource: AssignmentTypeName,
  status: RequestStatusName,
  approvalStatus: RequestStatusName,
  message: NullableString,
  requestedBy: Type.String(),
  reviewedBy: NullableString,
  reviewNotes: Type.Optional(Type.String()),
  connectionId: NullableString,
  createdAt: DateTime,
  reviewedAt: NullableDateTime
}, {
  $id: 'ContactRequest',
  examples: [{
    id: requestId,
    signalId,
    startupId: 'startup-aurora',
    requestSource: 'direct',
    status: 'approved',
    approvalStatus: 'approved',
    message: 'May we present our sensor?',
    requestedBy: 'user-1',
    reviewedBy: 'admin-1',
    reviewNotes: 'A good fit.',
    connectionId,
    createdAt: time,
    reviewedAt: time
  }]
})
export type ContactRequest = Static<typeof ContactRequest>

/** What an approval makes (contract: Signals). */
export const Connection = Type.Object({
  id: Type.String(), signalId: Type.String(), startupId: PlatformId, contactRequestId: Type.String(), createdAt: DateTime
}, {
  $id: 'Connection',
  examples: [{ id: connectionId, signalId, startupId: 'startup-aurora', contactRequestId: requestId, createdAt: time }]
})
export type Connection = Static<typeof Connection>

const MoveNames = Type.Array(StringEnum(moves), { description: 'What the status (and `isPublic`) permits, whoever asks.' })

/** A signal with everything that hangs on it (contract: endpoints the specification leaves out). */
export const SignalDetail = Type.Object({
  ...signalFields,
  assignments: Type.Array(ref(SignalAssignment)),
  contactRequests: Type.Array(ref(ContactRequest)),
  connections: Type.Array(ref(Connection)),
  allowedActions: MoveNames
}, {
  $id: 'SignalDetail',
  examples: [{ ...exampleSignal, assignments: [], contactRequests: [], connections: [], allowedActions: ['unpublish', 'pool_accept', 'archive'] }]
})
export type SignalDetail = Static<typeof SignalDetail>

/** Contract: status-history. */
export const StatusHistoryEntry = Type.Object({
  id: Type.String(),
  signalId: Type.String(),
  action: StringEnum(actions),
  fromStatus: NullableStatus,
  toStatus: StatusName,
  actorId: Type.String(),
  actorRole: StringEnum(actorRoles),
  startupId: NullableString,
  notes: NullableString,
  createdAt: DateTime
}, {
  $id: 'StatusHistoryEntry',
  examples: [{
    id: '019a4c1f-2a3b-7c4d-8e5f-60718293a4b5',
    signalId,
    action: 'accept',
    fromStatus: 'signal_assigned',
    toStatus: 'accepted',
    actorId: 'user-1',
    actorRole: 'startup',
    startupId: 'startup-aurora',
    notes: 'We can start in March.',
    createdAt: time
  }]
})
export type StatusHistoryEntry = Static<typeof StatusHistoryEntry>

/** A row of a startup's inbox; `assignment` is null for a signal that the startup only sees in the pool. */
export const InboxItem = Type.Object({
  assignment: NullableObject(assignmentFields),
  signal: ref(Signal)
}, { $id: 'InboxItem', examples: [{ assignment: null, signal: exampleSignal }] })
export type InboxItem = Static<typeof InboxItem>

/** Specification: pagination of the pool listing; every list of this area has it. */
export const Pagination = Type.Object({
  page: Type.Integer(), limit: Type.Integer(), total: Type.Integer(), totalPages: Type.Integer()
}, { $id: 'Pagination', examples: [{ page: 1, limit: 20, total: 42, totalPages: 3 }] })
export type Pagination = Static<typeof Pagination>

/** The 409 of a transition that the map does not have (contract: Invalid transition). */
export const RefusedTransition = Type.Object({
  ...ErrorBody.properties, currentStatus: StatusName, allowedActions: MoveNames
}, {
  $id: 'RefusedTransition',
  examples: [{
    statusCode: 409,
    error: 'Conflict',
    message: "Cannot assign a signal in status 'archived'",
    currentStatus: 'archived',
    allowedActions: ['unarchive']
  }]
})

/** The schemas that routes name by reference. */
export const signalComponents = [
  Startup, Government, GovernmentContact, Signal, SignalAssignment, ContactRequest, Connection, SignalDetail, StatusHistoryEntry,
  InboxItem, Pagination, RefusedTransition
]
