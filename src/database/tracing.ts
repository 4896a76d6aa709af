import { context, SpanKind, SpanStatusCode, trace, type Attributes, type Tracer } from '@opentelemetry/api'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { sqlState } from './errors.js'

/**
 * The pool with a span for each statement that a request sends, a child of the request's span: the kind of statement
 * and its tables, never its values. What runs on its own account, such as the sealing of the log, leaves no spans.
 */
export function tracePool (pool: PostgresPool): PostgresPool {
  const tracer = trace.getTracer('legal-signals')
  return {
    connect: async () => traceClient(await pool.connect(), tracer),
    end: () => pool.end()
  }
}

function traceClient (client: PostgresPoolClient, tracer: Tracer): PostgresPoolClient {
  async function query<R> (sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    if (trace.getSpan(context.active()) === undefined) return await client.query<R>(sql, parameters)
    const attributes = describeStatement(sql)
    const span = tracer.startSpan(String(attributes['db.query.summary']), { kind: SpanKind.CLIENT, attributes })
    try {
      return await client.query<R>(sql, parameters)
    } catch (error) {
      // Not the message: the server's quotes values.
      const state = sqlState(error)
      if (state !== undefined) span.setAttribute('db.response.status_code', state)
      span.setAttribute('error.type', state ?? (error as Error).name)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }
  return { query: query as PostgresPoolClient['query'], release: () => client.release() }
}

const described = new Map<string, Attributes>()

const maximumSummary = 255

/** The attributes of OpenTelemetry's conventions for a statement, the same for each text. */
export function describeStatement (sql: string): Attributes {
  let attributes = described.get(sql)
  if (attributes === undefined) {
    attributes = describe(sql)
    described.set(sql, attributes)
  }
  return attributes
}

const target = /(?<!\b(?:for|key|do)\s+)\b(?<verb>insert into|update|delete from|from|join)\s+(?<table>\w+)\b(?<call>\s*\()?/g
const verbs: Readonly<Record<string, string>> = { 'insert into': 'INSERT', update: 'UPDATE', 'delete from': 'DELETE', from: 'SELECT', join: 'SELECT' }

function describe (sql: string): Attributes {
  const text = sql.replace(/\/\*.*?\*\/|--[^\n]*|'[^']*'/gs, ' ').replaceAll('"', '').toLowerCase().replace(/\s+/g, ' ').trim()
  const operation = mainVerb(text).toUpperCase()
  // Names that the statement gives to parts of itself.
  const own = new Set(Array.from(text.matchAll(/(\w+)(?: ?\([\w ,]*\))? as (?:not )?(?:materialized )?\(/g), ([, name]) => name))
  const parts: string[] = []
  let current = ''
  for (const { groups: { verb = '', table = '', call } = {} } of text.matchAll(target)) {
    if (own.has(table) || table === 'lateral' || (call !== undefined && verb !== 'insert into')) continue
    const name = verbs[verb] as string
    if (name !== current) parts.push(name)
    current = name
    if (!parts.includes(table, parts.lastIndexOf(name))) parts.push(table)
  }
  const summary = parts.length === 0 ? operation : parts.join(' ')
  return { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.summary': summary.slice(0, maximumSummary) }
}

/** Of a statement that begins with its parts (`with`) the one that follows them. */
function mainVerb (text: string): string {
  let outside = text
  for (let before = ''; outside !== before;) {
    before = outside
    outside = outside.replace(/\([^()]*\)/g, '')
  }
  return (/\b(?:select|insert|update|delete|merge)\b/.exec(outside) ?? /^\w+/.exec(outside))?.[0] ?? ''
}
