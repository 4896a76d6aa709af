import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifySchemaValidationError, FastifyServerOptions } from 'fastify'

const dateTimePattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/

/**
 * RFC 3339 with an offset, a real date of the years 0001-9999 also in UTC, no second 60
 * (contract: Everywhere, Datetimes).
 */
export function isDateTime (text: string): boolean {
  const match = dateTimePattern.exec(text)
  if (match === null) return false
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match.slice(1).map(part => Number(part ?? 0)) as
    [number, number, number, number, number, number, number, number]
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return false
  const utcYear = new Date(text.toUpperCase()).getUTCFullYear()
  return utcYear >= 1 && utcYear <= 9999
}

function daysIn (year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  if (month === 2) return leap ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** No U+0000, which Postgres cannot store, and no lone surrogates, which have no UTF-8 form. */
export function isText (text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Ajv that coerces nothing, strips nothing and knows the formats of the contract. */
export const ajvOptions: NonNullable<FastifyServerOptions['ajv']> = {
  customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, allErrors: false, allowUnionTypes: true },
  onCreate (ajv) {
    ajv.addFormat('date-time', { type: 'string', validate: isDateTime })
    ajv.addFormat('text', { type: 'string', validate: isText })
    ajv.addFormat('content', { type: 'string', validate: isContent })
  }
}

const maximumContentBytes = 2 * 1024 * 1024

/** The text of a legal document: at most 2 MiB of UTF-8 (contract: Lengths). */
function isContent (text: string): boolean {
  return isText(text) && Buffer.byteLength(text) <= maximumContentBytes
}

/** What the schema formatter made of a validation failure: one sentence that names the field. */
export function describeFailure (errors: FastifySchemaValidationError[], part: string): Error {
  const error = errors[0] as FastifySchemaValidationError
  const place = part === 'querystring' ? 'query' : part
  const field = [place, ...error.instancePath.split('/').slice(1).map(unescapePointer)].join('.')
  switch (error.keyword) {
    case 'required': return new Error(`${field}.${String(error.params['missingProperty'])} is required`)
    case 'additionalProperties': return new Error(`${field}.${String(error.params['additionalProperty'])} is not a known field`)
    case 'enum': return new Error(`${field} must be one of: ${(error.params['allowedValues'] as unknown as string[]).join(', ')}`)
    case 'format': return new Error(`${field} ${formatRules[String(error.params['format'])] ?? 'is not valid'}`)
    default: return new Error(`${field} ${error.message ?? 'is not valid'}`)
  }
}

const formatRules: Record<string, string> = {
  text: 'must be well-formed text without U+0000 and lone surrogates',
  content: 'must be at most 2 MiB of UTF-8 without U+0000 and lone surrogates',
  'date-time': 'must be an RFC 3339 date and time with an offset'
}

function unescapePointer (part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

interface ObjectSchema {
  readonly properties?: Record<string, { readonly type?: string }>
  readonly required?: readonly string[]
}

/**
 * Prepares requests for Ajv, which coerces nothing: decimal digits in a query become the integer and true/false the
 * boolean that the schema asks for, and an absent body counts as `{}` where no field of it is required.
 */
export function setUpInput (app: FastifyInstance): void {
  app.addHook('onRoute', route => {
    const query = route.schema?.querystring as ObjectSchema | undefined
    const body = route.schema?.body as ObjectSchema | undefined
    const hooks = [route.preValidation ?? []].flat()
    if (query?.properties !== undefined) {
      const properties = Object.entries(query.properties)
      hooks.push((request, _reply, done) => {
        const unreadable = findUnreadable(request.raw.url ?? '')
        if (unreadable !== undefined) return done(app.httpErrors.badRequest(`query.${unreadable} ${formatRules['text']}`))
        readQuery(properties, request.query as Record<string, unknown>)
        done()
      })
    }
    if (body !== undefined && (body.required ?? []).length === 0) {
      hooks.push((request, _reply, done) => {
        if (request.body === undefined) request.body = {}
        done()
      })
    }
    route.preValidation = hooks
  })
}

/**
 * The name of a query value that is no percent-encoded UTF-8 or has a U+0000, or undefined: the parser would hand out
 * its raw text as if that had been sent.
 */
function findUnreadable (url: string): string | undefined {
  const start = url.indexOf('?')
  if (start === -1 || !url.includes('%', start)) return undefined
  const pair = url.slice(start + 1).split('&').find(pair => !isReadable(pair))
  return pair?.split('=')[0]
}

function isReadable (encoded: string): boolean {
  try {
    return isText(decodeURIComponent(encoded))
  } catch {
    return false
  }
}

function readQuery (properties: ReadonlyArray<[string, { readonly type?: string }]>, query: Record<string, unknown>): void {
  for (const [name, { type }] of properties) {
    const value = query[name]
    if (typeof value !== 'string') continue
    // Hundreds of digits would be an Infinity, which is no integer.
    if (type === 'integer' && /^\d+$/.test(value)) query[name] = Math.min(Number(value), Number.MAX_VALUE)
    else if (type === 'boolean' && (value === 'true' || value === 'false')) query[name] = value === 'true'
  }
}

/** Replaces Fastify's parsers by one: JSON in valid UTF-8, neither compressed nor with a byte order mark; an empty body is no body. */
export function setUpBodyParser (app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const { 'content-encoding': encoding = 'identity' } = request.headers
    if (encoding.toLowerCase() !== 'identity') return done(app.httpErrors.unsupportedMediaType('The body must not be compressed'), undefined)
    if (!isUtf8(bytes)) return done(app.httpErrors.badRequest('body must be valid UTF-8'), undefined)
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      return done(app.httpErrors.badRequest('body must not begin with a byte order mark'), undefined)
    }
    return parse(request, bytes.toString('utf8'), done)
  })
}
