import { type Static, Type } from '@sinclair/typebox'
import { described, StringEnum, Text } from '../kernel/schemas.js'
import { AssignmentStatusName, AssignmentTypeName, type Pagination, type RefusedTransition, RequestStatusName, StatusName } from './schemas.js'

/* What callers send. Unknown fields are ignored: the specification leaves "further fields" open. */

const Notes = Type.Optional(Text(0, 4000))

const descriptiveFields = {
  title: Text(1, 300, { examples: ['Quieter night buses'] }),
  description: Text(1, 20_000, { examples: ['Residents along three routes report noise after midnight.'] }),
  visibilityLevel: Type.Optional(Text(1, 100, { examples: ['national'] })),
  solutionCategory: Type.Optional(Text(1, 100, { examples: ['Mobility'] })),
  governmentId: Type.Optional(Text(1, 128, { examples: ['gov-harbour'] })),
  governmentContactId: Type.Optional(Text(1, 128, { examples: ['contact-ines'] }))
}

export const CreateSignalBody = Type.Object(descriptiveFields, {
  examples: [{
    title: 'Quieter night buses',
    description: 'Residents along three routes report noise after midnight.',
    visibilityLevel: 'national',
    solutionCategory: 'Mobility',
    governmentId: 'gov-harbour',
    governmentContactId: 'contact-ines'
  }]
})
export type CreateSignalBody = Static<typeof CreateSignalBody>

export const EditSignalBody = Type.Partial(Type.Object({ ...descriptiveFields, isActive: Type.Boolean() }), { examples: [{ isActive: false }] })
export type EditSignalBody = Static<typeof EditSignalBody>

export const NameBody = Type.Object({ name: Text(1, 300) }, { examples: [{ name: 'Aurora Sensing' }] })
export type NameBody = Static<typeof NameBody>

export const GovernmentContactBody = Type.Object({
  governmentId: Text(1, 128),
  name: Text(1, 300),
  email: Type.Optional(Text(1, 320)),
  role: Type.Optional(Text(1, 300))
}, { examples: [{ governmentId: 'gov-harbour', name: 'Ines Okafor', email: 'ines@example.org', role: 'Innovation lead' }] })
export type GovernmentContactBody = Static<typeof GovernmentContactBody>

export const AssignBody = Type.Object({
  startupIds: Type.Array(Text(1, 128, { examples: ['startup-aurora'] }), { minItems: 1, maxItems: 100, description: 'Duplicates collapse.' }),
  notes: Notes
}, { examples: [{ startupIds: ['startup-aurora'], notes: 'You worked on this before.' }] })
export type AssignBody = Static<typeof AssignBody>

export const PublishBody = Type.Object({ visibilityLevel: Type.Optional(Text(1, 100)), notes: Notes }, { examples: [{ visibilityLevel: 'national' }] })
export type PublishBody = Static<typeof PublishBody>

export const EmptyBody = Type.Object({}, { examples: [{}] })
export const NotesBody = Type.Object({ notes: Notes }, { examples: [{ notes: 'As agreed by phone.' }] })
export const JustificationBody = Type.Object({ justification: Notes }, { examples: [{ justification: 'Our sensors do exactly this.' }] })
export const ReasonBody = Type.Object({ reason: Notes }, { examples: [{ reason: 'No capacity until summer.' }] })

export const RequestContactBody = Type.Object({ requestSource: AssignmentTypeName, message: Notes }, {
  examples: [{ requestSource: 'direct', message: 'May we present our sensor?' }]
})
export type RequestContactBody = Static<typeof RequestContactBody>

export const ApproveBody = Type.Object({ decision: Type.Optional(StringEnum(['approved'])), reviewNotes: Notes }, {
  examples: [{ decision: 'approved', reviewNotes: 'A good fit.' }]
})
/** Something that neither JavaScript nor any locale of a database, which checks it too, counts as white space. */
const notBlank = '[^\\s\\u001c-\\u001f\\u0085\\u180e]'

export const RejectBody = Type.Object({
  decision: Type.Optional(StringEnum(['rejected'])),
  reviewNotes: Type.String({ format: 'text', maxLength: 4000, pattern: notBlank, description: 'Not blank.', examples: ['Outside of this year\'s budget.'] })
}, { examples: [{ decision: 'rejected', reviewNotes: 'Outside of this year\'s budget.' }] })

const search = Type.Optional(Text(0, 4000, { description: 'A literal part of title or description, in any letter case.' }))

const paging = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Counted from 1.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, default: 20, description: 'Page size; more than 100 counts as 100.' }))
}

export const PageQuery = Type.Object(paging)

export const PoolQuery = Type.Object({
  visibilityLevel: Type.Optional(Text(0, 4000, { description: 'Exactly this one.' })),
  solutionCategory: Type.Optional(Text(0, 4000, { description: 'Exactly this one.' })),
  search,
  available: Type.Optional(Type.Boolean({ description: 'True leaves only signals that can still be accepted.' })),
  ...paging
})
export type PoolQuery = Static<typeof PoolQuery>

export const SignalListQuery = Type.Object({
  status: Type.Optional(described(StatusName, 'The status of the signal.')),
  isPublic: Type.Optional(Type.Boolean({ description: 'Whether it is in the pool.' })),
  isArchived: Type.Optional(Type.Boolean({ description: 'Default false, or true with `status=archived`.' })),
  solutionCategory: Type.Optional(Text(0, 4000, { description: 'Exactly this one.' })),
  search,
  ...paging
})
export type SignalListQuery = Static<typeof SignalListQuery>

export const InboxQuery = Type.Object({
  status: Type.Optional(described(StatusName, 'The status of the signal.')),
  assignmentStatus: Type.Optional(described(AssignmentStatusName, 'The status of the startup\'s assignment.')),
  assignmentType: Type.Optional(described(AssignmentTypeName, 'How the signal came to the startup.')),
  archived: Type.Optional(Type.Boolean({ default: false, description: 'True lists the archived signals, false the others.' })),
  ...paging
})
export type InboxQuery = Static<typeof InboxQuery>

export const ContactRequestQuery = Type.Object({
  status: Type.Optional(described(RequestStatusName, 'The status of the contact request.')),
  requestSource: Type.Optional(described(AssignmentTypeName, 'How the signal came to the startup that asks.')),
  signalId: Type.Optional(Text(0, 4000, { description: 'Of this signal.' })),
  ...paging
})
export type ContactRequestQuery = Static<typeof ContactRequestQuery>

export interface Page {
  readonly page: number
  readonly limit: number
  readonly offset: number
}

/** The page that a validated query asks for: default 1 and 20, at most 100 items (specification: Limits). */
export function pageOf (query: { page?: number, limit?: number }): Page {
  const { page = 1 } = query
  const limit = Math.min(query.limit ?? 20, 100)
  return { page, limit, offset: (page - 1) * limit }
}

/** The `pagination` of an answer (specification: GET /signal-pool). */
export function pagination ({ page, limit }: Page, total: number): Pagination {
  return { page, limit, total, totalPages: Math.ceil(total / limit) }
}

/** The 409 of every route that moves a signal. */
export const refused = {
  409: Type.Unsafe<Static<typeof RefusedTransition>>({ $ref: 'RefusedTransition#', description: 'The present state does not allow it; nothing was changed.' })
}
