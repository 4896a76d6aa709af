import type { Kysely } from 'kysely'
import type { Caller } from '../auth/caller.js'
import { Batches } from '../database/batches.js'
import { sqlState } from '../database/errors.js'
import type { Database } from '../database/schema.js'
import { runFixed } from '../database/sql.js'
import { newId } from '../kernel/ids.js'
import { Refusal } from '../kernel/refusal.js'
import type { AcceptBody, DocumentAcceptance } from './schemas.js'

/** One caller's wish to accept the active document of a type. */
export interface AcceptRequest {
  readonly caller: Caller
  readonly body: AcceptBody
}

/** The record, and whether this request made it; or why there is none. */
export type AcceptResult = { readonly acceptance: DocumentAcceptance, readonly created: boolean } | Refusal

/** Raised by the database when the document stopped being active before the acceptance was stored. */
const documentNotActive = 'LD001'
const maximumAttempts = 20

/**
 * Acceptances that arrive together share a statement, and each caller is answered after its commit. One statement may
 * touch a user record only once: a second request of a caller waits for the next.
 */
export function acceptances (db: Kysely<Database>): Batches<AcceptRequest, AcceptResult> {
  return new Batches<AcceptRequest, AcceptResult>({
    flights: 2,
    size: 128,
    maximumWaiting: 5000,
    keyOf: ({ caller }) => caller.userId,
    run: async requests => await acceptAll(db, requests)
  })
}

interface AcceptRow {
  readonly id: string | null
  readonly userId: string
  readonly documentId: string | null
  readonly seen: boolean | null
  readonly version: string
  readonly acceptedAt: string
  readonly ipAddress: string | null
  readonly userAgent: string | null
  readonly created: boolean
}

/**
 * Stores the acceptances of several callers, each caller once, in one statement: all or none of them are committed
 * when it resolves. The result has the order of the requests, and a refusal of one leaves the others alone. An
 * acceptance that exists is returned untouched (specification: POST /legal/accept; contract: Repeated accept,
 * Accepting what you saw). The user records are created, refreshed and brought in step by the same statement.
 */
async function acceptAll (db: Kysely<Database>, requests: readonly AcceptRequest[]): Promise<AcceptResult[]> {
  const results: AcceptResult[] = new Array(requests.length)
  let open = requests.map((_request, index) => index)
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt === maximumAttempts) throw new Error('Documents are published faster than they can be accepted')
    const rows = await tryAccept(db, open.map(index => requests[index] as AcceptRequest))
    open = open.filter((index, position) => {
      const result = rows === undefined ? undefined : toResult((requests[index] as AcceptRequest).body, rows[position] as AcceptRow)
      if (result === undefined) return true
      results[index] = result
      return false
    })
  }
  return results
}

/** Undefined when another request stored the same acceptance first: it is there to be read at the next attempt. */
function toResult ({ type }: AcceptBody, row: AcceptRow): AcceptResult | undefined {
  if (row.documentId === null) return new Refusal('invalid', `No active ${type} document found`)
  if (row.seen !== true) return new Refusal('conflict', `Another ${type} document is active now`)
  if (row.id === null) return undefined
  const { id, userId, documentId, version, acceptedAt, ipAddress, userAgent, created } = row
  return {
    acceptance: {
      id,
      userId,
      documentId,
      version,
      acceptedAt,
      ...(ipAddress !== null && { ipAddress }),
      ...(userAgent !== null && { userAgent })
    },
    created
  }
}

const acceptText = `
with wanted as (
  select w.id, w.user_id, w.email, w.first_name, w.last_name, w.type, w.ip_address, w.user_agent, w.position,
    d.id as document_id, d.version, d.published_at,
    (w.seen_id is null or w.seen_id = d.id::text) and (w.seen_version is null or w.seen_version = d.version) as seen
  from unnest(
    $1::uuid[],
    $2::text[],
    $3::text[],
    $4::text[],
    $5::text[],
    $6::text[],
    $7::text[],
    $8::text[],
    $9::text[],
    $10::text[]
  ) with ordinality as w (id, user_id, email, first_name, last_name, type, ip_address, user_agent, seen_id, seen_version, position)
  left join legal_documents d on d.type = w.type and d.is_active
), existing as (
  select w.position, a.id, a.accepted_at, a.ip_address, a.user_agent
  from wanted w join document_acceptances a on a.user_id = w.user_id and a.document_id = w.document_id
), added as (
  insert into document_acceptances (id, user_id, document_id, type, version, accepted_at, ip_address, user_agent)
  select w.id, w.user_id, w.document_id, w.type, w.version, greatest(clock_timestamp(), w.published_at), w.ip_address, w.user_agent
  from wanted w
  where w.document_id is not null and w.seen and not exists (select from existing e where e.position = w.position)
  order by w.user_id
  on conflict (user_id, document_id, version) do nothing
  returning id, type, version, accepted_at, ip_address, user_agent
), recorded as (
  insert into users as u (id, email, first_name, last_name, terms_version, terms_accepted_at, privacy_version, privacy_accepted_at)
  select w.user_id, w.email, w.first_name, w.last_name, t.version, t.accepted_at, p.version, p.accepted_at
  from wanted w
  left join added t on t.id = w.id and t.type = 'terms'
  left join added p on p.id = w.id and p.type = 'privacy'
  where t.id is not null or p.id is not null or not exists (
    select from users k where k.id = w.user_id
      and w.email in ('', k.email) and w.first_name in ('', k.first_name) and w.last_name in ('', k.last_name)
  )
  order by w.user_id
  on conflict (id) do update set
    email = coalesce(nullif(excluded.email, ''), u.email),
    first_name = coalesce(nullif(excluded.first_name, ''), u.first_name),
    last_name = coalesce(nullif(excluded.last_name, ''), u.last_name),
    terms_version = coalesce(excluded.terms_version, u.terms_version),
    terms_accepted_at = coalesce(excluded.terms_accepted_at, u.terms_accepted_at),
    privacy_version = coalesce(excluded.privacy_version, u.privacy_version),
    privacy_accepted_at = coalesce(excluded.privacy_accepted_at, u.privacy_accepted_at)
)
select coalesce(n.id, e.id) as id, w.user_id as "userId", w.document_id as "documentId", w.version, w.seen,
  coalesce(n.accepted_at, e.accepted_at) as "acceptedAt",
  coalesce(n.ip_address, e.ip_address) as "ipAddress",
  coalesce(n.user_agent, e.user_agent) as "userAgent",
  n.id is not null as created
from wanted w
left join added n on n.id = w.id
left join existing e on e.position = w.position
order by w.position
`

/** Undefined when a publish came in between and nothing was stored. */
async function tryAccept (db: Kysely<Database>, requests: readonly AcceptRequest[]): Promise<AcceptRow[] | undefined> {
  const column = <T> (read: (request: AcceptRequest) => T): T[] => requests.map(read)
  try {
    return await runFixed<AcceptRow>(db, acceptText, [
      column(() => newId()),
      column(({ caller }) => caller.userId),
      column(({ caller }) => caller.email),
      column(({ caller }) => caller.firstName),
      column(({ caller }) => caller.lastName),
      column(({ body }) => body.type),
      column(({ body }) => body.ipAddress ?? null),
      column(({ body }) => body.userAgent ?? null),
      column(({ body }) => body.documentId ?? null),
      column(({ body }) => body.version ?? null)
    ])
  } catch (error) {
    if (sqlState(error) === documentNotActive) return undefined
    throw error
  }
}
