import { type Static, Type } from '@sinclair/typebox'
import { DateTime, NullableDateTime, NullableString, ref, StringEnum, Text } from '../kernel/schemas.js'

export const documentTypes = ['terms', 'privacy'] as const
export type DocumentType = (typeof documentTypes)[number]

const versionPattern = '^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$'

export const DocumentTypeName = StringEnum(documentTypes)

/** Three dot-separated numbers without leading zeros (contract: Version form). */
export const Version = Type.String({ pattern: versionPattern, maxLength: 32, examples: ['2.0.0'] })

const exampleId = '019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f'
const exampleTime = '2026-01-15T09:30:00.000Z'

const exampleAcceptance = {
  id: '019a4c20-0d11-7e02-8a44-5f60718293a4',
  userId: 'user-1',
  documentId: exampleId,
  version: '2.0.0',
  acceptedAt: '2026-01-16T10:00:00.000Z',
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0'
}

const acceptanceFields = {
  id: Type.String(),
  userId: Type.String(),
  documentId: Type.String(),
  version: Type.String(),
  acceptedAt: DateTime,
  ipAddress: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String())
}

/** Specification: DocumentAcceptance. */
export const DocumentAcceptance = Type.Object(acceptanceFields, {
  $id: 'DocumentAcceptance',
  description: 'The audit record of one user\'s acceptance of one document. ipAddress and userAgent are as the client sent them.',
  examples: [exampleAcceptance]
})
export type DocumentAcceptance = Static<typeof DocumentAcceptance>

const documentFields = {
  id: Type.String(),
  type: DocumentTypeName,
  version: Type.String(),
  title: Type.String(),
  effectiveDate: DateTime,
  publishedAt: NullableDateTime,
  publishedBy: Type.Optional(Type.String({ description: 'E-mail of the admin who published it; absent while it is a draft.' })),
  isActive: Type.Boolean(),
  requiresImmediate: Type.Boolean(),
  gracePeriodDays: Type.Integer(),
  createdAt: DateTime,
  updatedAt: DateTime
}

const exampleDocument = {
  id: exampleId,
  type: 'terms',
  version: '2.0.0',
  title: 'Terms of Service',
  content: 'These terms govern your use of the service.',
  effectiveDate: '2026-02-01T00:00:00.000Z',
  publishedAt: exampleTime,
  publishedBy: 'admin@example.com',
  isActive: true,
  requiresImmediate: true,
  gracePeriodDays: 0,
  createdAt: '2026-01-10T08:00:00.000Z',
  updatedAt: exampleTime
}

const { content: _content, ...exampleVersion } = exampleDocument

/** Specification: LegalDocument. */
export const LegalDocument = Type.Object({
  ...documentFields,
  content: Type.String()
}, {
  $id: 'LegalDocument',
  description: 'A draft while publishedAt is null; active or archived after that. At most one document per type is active.',
  examples: [exampleDocument]
})
export type LegalDocument = Static<typeof LegalDocument>

/** Contract: Admin detail: the newest 1,000 acceptances and their exact number. */
export const LegalDocumentDetail = Type.Object({
  ...documentFields,
  content: Type.String(),
  acceptances: Type.Array(ref(DocumentAcceptance), { description: 'The newest 1,000 at most.' }),
  acceptanceCount: Type.Integer({ description: 'The exact number of all acceptances.' })
}, { $id: 'LegalDocumentDetail', examples: [{ ...exampleDocument, acceptances: [exampleAcceptance], acceptanceCount: 1 }] })
export type LegalDocumentDetail = Static<typeof LegalDocumentDetail>

/** Contract: Old versions: a LegalDocument without its content. */
export const LegalDocumentVersion = Type.Object(documentFields, {
  $id: 'LegalDocumentVersion',
  description: 'A published document without its text.',
  examples: [exampleVersion]
})
export type LegalDocumentVersion = Static<typeof LegalDocumentVersion>

/** Specification: Admin list item; contract: exactly these eleven fields. */
export const AdminListItem = Type.Object({
  id: Type.String(),
  type: DocumentTypeName,
  version: Type.String(),
  title: Type.String(),
  isActive: Type.Boolean(),
  publishedAt: NullableDateTime,
  publishedBy: Type.Optional(Type.String()),
  createdAt: DateTime,
  updatedAt: DateTime,
  acceptances: Type.Array(Type.Object({ userId: Type.String(), acceptedAt: DateTime }), { description: 'The newest 100 at most.' }),
  acceptanceCount: Type.Integer()
}, {
  $id: 'AdminListItem',
  examples: [{
    id: exampleId,
    type: 'terms',
    version: '2.0.0',
    title: 'Terms of Service',
    isActive: true,
    publishedAt: exampleTime,
    publishedBy: 'admin@example.com',
    createdAt: '2026-01-10T08:00:00.000Z',
    updatedAt: exampleTime,
    acceptances: [{ userId: 'user-1', acceptedAt: '2026-01-16T10:00:00.000Z' }],
    acceptanceCount: 1
  }]
})
export type AdminListItem = Static<typeof AdminListItem>

/** Specification: TermsStatus. */
export const TermsStatus = Type.Object({
  needsAcceptance: Type.Boolean({ description: 'needsTermsAcceptance or needsPrivacyAcceptance.' }),
  needsTermsAcceptance: Type.Boolean({ description: 'There are active terms that the caller has not accepted.' }),
  needsPrivacyAcceptance: Type.Boolean(),
  currentTermsVersion: NullableString,
  currentPrivacyVersion: NullableString,
  userTermsVersion: NullableString,
  userPrivacyVersion: NullableString,
  termsRequiresImmediate: Type.Boolean(),
  privacyRequiresImmediate: Type.Boolean(),
  termsGracePeriodDays: Type.Integer(),
  privacyGracePeriodDays: Type.Integer()
}, {
  $id: 'TermsStatus',
  description: 'What the caller still has to accept. Without an active document of a type its version is null, its flags are false and its grace period is 0.',
  examples: [{
    needsAcceptance: true,
    needsTermsAcceptance: true,
    needsPrivacyAcceptance: false,
    currentTermsVersion: '2.0.0',
    currentPrivacyVersion: '1.1.0',
    userTermsVersion: '1.0.0',
    userPrivacyVersion: '1.1.0',
    termsRequiresImmediate: true,
    privacyRequiresImmediate: false,
    termsGracePeriodDays: 0,
    privacyGracePeriodDays: 30
  }]
})
export type TermsStatus = Static<typeof TermsStatus>

/** Specification: Acceptance log item; unknown texts are "". */
export const AcceptanceLogItem = Type.Object({
  id: Type.String(),
  user: Type.Object({ id: Type.String(), email: Type.String(), firstName: Type.String(), lastName: Type.String() }),
  document: Type.Object({ type: DocumentTypeName, version: Type.String(), title: Type.String() }),
  acceptedAt: DateTime,
  ipAddress: Type.String(),
  userAgent: Type.String()
}, {
  $id: 'AcceptanceLogItem',
  examples: [{
    id: exampleAcceptance.id,
    user: { id: 'user-1', email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
    document: { type: 'terms', version: '2.0.0', title: 'Terms of Service' },
    acceptedAt: '2026-01-16T10:00:00.000Z',
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0'
  }]
})
export type AcceptanceLogItem = Static<typeof AcceptanceLogItem>

/** Specification: Analytics object. */
export const Analytics = Type.Object({
  documentId: Type.String(),
  type: DocumentTypeName,
  version: Type.String(),
  totalAcceptances: Type.Integer(),
  totalUsers: Type.Integer(),
  acceptanceRate: Type.Number({ description: 'Percent of all users, two decimals; 0 when there are no users.' }),
  isActive: Type.Boolean(),
  publishedAt: NullableDateTime
}, {
  $id: 'Analytics',
  examples: [{
    documentId: exampleId,
    type: 'terms',
    version: '2.0.0',
    totalAcceptances: 850,
    totalUsers: 1000,
    acceptanceRate: 85,
    isActive: true,
    publishedAt: exampleTime
  }]
})
export type Analytics = Static<typeof Analytics>

/** Contract: Own history. */
export const OwnAcceptance = Type.Object({
  ...acceptanceFields,
  document: Type.Object({ type: DocumentTypeName, version: Type.String(), title: Type.String() })
}, {
  $id: 'OwnAcceptance',
  examples: [{ ...exampleAcceptance, document: { type: 'terms', version: '2.0.0', title: 'Terms of Service' } }]
})
export type OwnAcceptance = Static<typeof OwnAcceptance>

/** Contract: Users (admin). */
export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  firstName: Type.String(),
  lastName: Type.String(),
  termsVersion: NullableString,
  termsAcceptedAt: NullableDateTime,
  privacyVersion: NullableString,
  privacyAcceptedAt: NullableDateTime,
  createdAt: DateTime
}, {
  $id: 'User',
  examples: [{
    id: 'user-1',
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    termsVersion: '2.0.0',
    termsAcceptedAt: '2026-01-16T10:00:00.000Z',
    privacyVersion: null,
    privacyAcceptedAt: null,
    createdAt: exampleTime
  }]
})
export type User = Static<typeof User>

const DocumentTitle = Text(1, 300)
const DocumentContent = Type.String({ format: 'content', minLength: 1, description: 'At most 2 MiB of UTF-8, kept byte for byte.' })
const GracePeriodDays = Type.Integer({ minimum: 0, maximum: 3650 })

export const AcceptBody = Type.Object({
  type: DocumentTypeName,
  ipAddress: Type.Optional(Text(0, 64)),
  userAgent: Type.Optional(Text(0, 2048)),
  documentId: Type.Optional(Text(0, 255, { description: 'The document that the user saw; 409 when another one is active.' })),
  version: Type.Optional(Text(0, 255, { description: 'The version that the user saw; 409 when another one is active.' }))
}, { additionalProperties: false, examples: [{ type: 'terms', ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0' }] })
export type AcceptBody = Static<typeof AcceptBody>

export const CreateDocumentBody = Type.Object({
  type: DocumentTypeName,
  version: Version,
  title: DocumentTitle,
  content: DocumentContent,
  effectiveDate: DateTime,
  requiresImmediate: Type.Optional(Type.Boolean({ default: true })),
  gracePeriodDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 3650, default: 0 }))
}, {
  additionalProperties: false,
  examples: [{ type: 'terms', version: '2.1.0', title: 'Terms of Service', content: 'These terms …', effectiveDate: '2026-03-01T00:00:00Z' }]
})
export type CreateDocumentBody = Static<typeof CreateDocumentBody>

export const UpdateDocumentBody = Type.Object({
  title: Type.Optional(DocumentTitle),
  content: Type.Optional(DocumentContent),
  effectiveDate: Type.Optional(DateTime),
  requiresImmediate: Type.Optional(Type.Boolean()),
  gracePeriodDays: Type.Optional(GracePeriodDays)
}, { additionalProperties: false, minProperties: 1, examples: [{ title: 'Terms of Service (revised)' }] })
export type UpdateDocumentBody = Static<typeof UpdateDocumentBody>

export const PublishBody = Type.Object({
  requiresImmediate: Type.Optional(Type.Boolean()),
  gracePeriodDays: Type.Optional(GracePeriodDays)
}, { additionalProperties: false, examples: [{ requiresImmediate: false, gracePeriodDays: 30 }] })
export type PublishBody = Static<typeof PublishBody>

export const RegisterUserBody = Type.Object({
  email: Text(1, 320),
  firstName: Type.Optional(Text(1, 300)),
  lastName: Type.Optional(Text(1, 300))
}, { additionalProperties: false, examples: [{ email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' }] })
export type RegisterUserBody = Static<typeof RegisterUserBody>

/** Everything that routes name by reference. */
export const legalComponents = [
  DocumentAcceptance, LegalDocument, LegalDocumentDetail, LegalDocumentVersion, AdminListItem, TermsStatus,
  AcceptanceLogItem, Analytics, OwnAcceptance, User
]
