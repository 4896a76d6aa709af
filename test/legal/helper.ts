import type { Test } from 'tap'
import { type Answer, adminClaims, type Client, testApp, type TestApp } from '../helper.js'

export type DocumentType = 'terms' | 'privacy'

/** The fields of each resource, as the specification's tables list them; optional ones apart. */
export const fields = {
  document: [
    'id', 'type', 'version', 'title', 'content', 'effectiveDate', 'publishedAt', 'publishedBy', 'isActive',
    'requiresImmediate', 'gracePeriodDays', 'createdAt', 'updatedAt'
  ],
  acceptance: ['id', 'userId', 'documentId', 'version', 'acceptedAt', 'ipAddress', 'userAgent'],
  status: [
    'needsAcceptance', 'needsTermsAcceptance', 'needsPrivacyAcceptance', 'currentTermsVersion', 'currentPrivacyVersion',
    'userTermsVersion', 'userPrivacyVersion', 'termsRequiresImmediate', 'privacyRequiresImmediate',
    'termsGracePeriodDays', 'privacyGracePeriodDays'
  ],
  listItem: [
    'id', 'type', 'version', 'title', 'isActive', 'publishedAt', 'publishedBy', 'createdAt', 'updatedAt',
    'acceptances', 'acceptanceCount'
  ],
  logItem: ['id', 'user', 'document', 'acceptedAt', 'ipAddress', 'userAgent'],
  analytics: [
    'documentId', 'type', 'version', 'totalAcceptances', 'totalUsers', 'acceptanceRate', 'isActive', 'publishedAt'
  ],
  user: [
    'id', 'email', 'firstName', 'lastName', 'termsVersion', 'termsAcceptedAt', 'privacyVersion', 'privacyAcceptedAt', 'createdAt'
  ]
}

export const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Ids that no document bears: well-formed, and of every malformed kind. */
export const unknownIds = [
  '019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f',
  '019A4C1E-5B7A-7C3D-9E2F-1A2B3C4D5E6F',
  '550e8400-e29b-41d4-a716-446655440000',
  'urn:uuid:019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f',
  '1', '0', '-1', 'null', 'nonsense', '%27%3B--', '%20', '%F0%9F%98%80', '%25', 'x'.repeat(3000)
]

/** Fails unless the object has exactly these keys, in any order. */
export function hasKeys (t: Test, value: object, keys: readonly string[], name = 'has exactly its fields'): void {
  t.strictSame(Object.keys(value).sort(), [...keys].sort(), name)
}

const phrases: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable'
}

/** Fails unless the answer is an error of exactly this status and message, with exactly the fields of an error. */
export function isError (t: Test, answer: Answer, statusCode: number, message: string | RegExp): void {
  const { status, json = {} } = answer
  const isExpected = typeof message === 'string' ? json.message === message : message.test(String(json.message))
  // One assertion, because each costs about a millisecond and the suite asks this thousands of times.
  t.strictSame(
    { status, json: { ...json, message: isExpected ? String(message) : json.message } },
    { status: statusCode, json: { statusCode, error: phrases[statusCode], message: String(message) } },
    `is ${statusCode}: ${String(message)}`
  )
}

/** A version nobody has used yet in this process. */
export function nextVersion (): string {
  return `0.0.${++versions}`
}
let versions = 0

/** A valid body of POST /legal/admin/documents. */
export function draftBody (over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: 'terms',
    version: nextVersion(),
    title: 'Terms of Service',
    content: 'Be kind.',
    effectiveDate: '2026-02-01T00:00:00.000Z',
    ...over
  }
}

interface Draft {
  readonly id: string
  readonly type: DocumentType
  readonly version: string
  readonly title: string
  readonly content: string
  readonly effectiveDate: string
  readonly publishedAt: string | null
  readonly publishedBy?: string
  readonly isActive: boolean
  readonly requiresImmediate: boolean
  readonly gracePeriodDays: number
  readonly createdAt: string
  readonly updatedAt: string
}

interface Legal extends TestApp {
  readonly admin: Client
  readonly anybody: Client
  /** A user whose token says only who it is, and what `claims` add. */
  user (id: string, claims?: Record<string, unknown>): Promise<Client>
  draft (over?: Record<string, unknown>): Promise<Draft>
  publish (id: string, body?: Record<string, unknown>): Promise<Draft>
  /** Creates a draft and publishes it. */
  published (over?: Record<string, unknown>): Promise<Draft>
  /** Rows of hand-written SQL, as the service's own pool reads them. */
  query (text: string, values?: readonly unknown[]): Promise<Array<Record<string, unknown>>>
}

/** The application with the steps that most legal tests begin with; each fails loudly when it is refused. */
export async function legalApp (t: Test, options: Parameters<typeof testApp>[1] = {}): Promise<Legal> {
  const running = await testApp(t, options)
  const admin = await running.as(adminClaims)
  const must = (status: number, { status: actual, body, json }: Answer): Draft => {
    if (actual !== status) throw new Error(`${actual} instead of ${status}: ${body}`)
    return json as Draft
  }
  const draft = async (over: Record<string, unknown> = {}) => must(201, await admin.post('/legal/admin/documents', draftBody(over)))
  const publish = async (id: string, body?: Record<string, unknown>) =>
    must(200, await admin.post(`/legal/admin/documents/${id}/publish`, body))
  return {
    ...running,
    admin,
    anybody: await running.as(),
    user: async (id, claims = {}) => await running.as({ sub: id, ...claims }),
    draft,
    publish,
    published: async over => await publish((await draft(over)).id),
    async query (text, values = []) {
      const connection = await running.database.pool.connect()
      try {
        const { rows } = await connection.query<Record<string, unknown>>(text, values)
        return rows
      } finally {
        connection.release()
      }
    }
  }
}
