import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** A schema named by reference, so that the OpenAPI document has one component for it. */
export function ref<T extends TSchema> (schema: T, description?: string) {
  return Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#`, ...(description !== undefined && { description }) })
}

export function StringEnum<const T extends readonly string[]> (values: T, options: { description?: string, default?: T[number] } = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })
}

/** Free text of `minimum` to `maximum` code points, without U+0000 and lone surrogates (contract: Everywhere, Text). */
export function Text (minimum: number, maximum: number, options: { description?: string, examples?: string[] } = {}) {
  return Type.String({ format: 'text', minLength: minimum, maxLength: maximum, ...options })
}

/** The same schema with a description of what it is for at this place. */
export function described<Schema extends TSchema> (schema: Schema, description: string): Schema {
  return { ...schema, description }
}

/** A path parameter that names something; whether it can be an id at all is the repository's question (404). */
export const IdParameter = Type.String({ format: 'text', description: 'Its id; one that nothing has, of whatever form, is 404.' })

/** The platform's own ids of startups, governments and contacts (contract: Everywhere, Ids). */
export const PlatformId = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$', examples: ['startup-aurora'] })

/** RFC 3339 with an offset on the way in; UTC with milliseconds on the way out. */
export const DateTime = Type.String({ format: 'date-time', examples: ['2026-01-15T09:30:00.000Z'] })

/** One schema with two types serialises ten times faster than `anyOf`. */
export const NullableDateTime = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', examples: ['2026-01-15T09:30:00.000Z'] })

export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })

/** Offset paging of the legal lists: limit default 100, at most 500 (more is clamped), offset default 0. */
export const OffsetPaging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, default: 100, description: 'Page size; more than 500 counts as 500.' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'How many to skip.' }))
}

/** What every page of a legal list says of itself. */
export const pageFields = { total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() }

export interface OffsetPage {
  readonly limit: number
  readonly offset: number
}

/** The page that a validated query asks for (specification: Limits; contract: `limit` above 500). */
export function offsetPage (query: { limit?: number, offset?: number }): OffsetPage {
  return { limit: Math.min(query.limit ?? 100, 500), offset: query.offset ?? 0 }
}

export const Success = Type.Object({ success: Type.Literal(true) }, { $id: 'Success', examples: [{ success: true }] })

/** The one shape of every refusal and failure (specification: Errors). */
export const ErrorBody = Type.Object({
  statusCode: Type.Integer(),
  error: Type.String({ description: 'The reason phrase of the status.' }),
  message: Type.String({ description: 'What was wrong; for a 400 it names the field.' })
}, { $id: 'Error', examples: [{ statusCode: 404, error: 'Not Found', message: 'Document not found' }] })

const meanings = {
  400: 'The request is not valid; the message names the field or the rule.',
  401: 'The bearer token is missing, invalid or expired.',
  403: 'The caller lacks the role that this route needs.',
  404: 'There is no such thing, or the caller may not know of it.',
  409: 'The present state does not allow it; nothing was changed.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  500: 'A failure of the service; its log tells more.',
  503: 'The service or its database cannot answer right now; try again after `Retry-After` seconds.'
} as const

export type ErrorStatus = keyof typeof meanings

/** Response schemas of the given statuses, and of 500 and 503, for the `response` of a route. */
export function errorResponses<const T extends ErrorStatus> (...statuses: T[]) {
  const responses: Record<number, TSchema> = {}
  for (const status of [...statuses, 500, 503] as ErrorStatus[]) {
    responses[status] = Type.Unsafe<Static<typeof ErrorBody>>({ $ref: 'Error#', description: meanings[status] })
  }
  return responses as { [Status in T | 500 | 503]: ReturnType<typeof ref<typeof ErrorBody>> }
}
