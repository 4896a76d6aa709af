import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { isoTime } from '../database/sql.js'
import { isId } from '../kernel/ids.js'
import { splitPage } from '../kernel/paging.js'
import type { OffsetPage } from '../kernel/schemas.js'
import { documentNotFound, withoutNullPublisher } from './documents.js'
import type { AcceptanceLogItem, AdminListItem, Analytics, DocumentType, LegalDocument, LegalDocumentDetail, OwnAcceptance } from './schemas.js'

const listAcceptances = 100
const detailAcceptances = 1000

interface LogRow {
  readonly total: number
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly type: DocumentType
  readonly version: string
  readonly title: string
  readonly acceptedAt: string
  readonly ipAddress: string
  readonly userAgent: string
}

/** The acceptance log, newest first, of one type or of both, with its exact total (specification: GET /legal/admin/acceptances). */
export async function listLog (
  db: Kysely<Database>, type: DocumentType | undefined, { limit, offset }: OffsetPage
): Promise<{ acceptances: AcceptanceLogItem[], total: number }> {
  const { rows } = await sql<LogRow>`
    select counted.total, page.id, u.id as "userId", u.email, u.first_name as "firstName", u.last_name as "lastName",
      d.type, d.version, d.title, page.accepted_at as "acceptedAt",
      coalesce(page.ip_address, '') as "ipAddress", coalesce(page.user_agent, '') as "userAgent"
    from acceptance_log_count(${type ?? null}) as counted (total)
    left join acceptance_log_page(${type ?? null}, ${limit}, ${offset}) page on true
    left join users u on u.id = page.user_id
    left join legal_documents d on d.id = page.document_id
    order by page.accepted_at desc, page.id desc
  `.execute(db)
  const { items, total } = splitPage(rows)
  return {
    acceptances: items.map(row => ({
      id: row.id,
      user: { id: row.userId, email: row.email, firstName: row.firstName, lastName: row.lastName },
      document: { type: row.type, version: row.version, title: row.title },
      acceptedAt: row.acceptedAt,
      ipAddress: row.ipAddress,
      userAgent: row.userAgent
    })),
    total
  }
}

interface OwnRow {
  readonly total: number
  readonly id: string
  readonly documentId: string
  readonly version: string
  readonly acceptedAt: string
  readonly ipAddress: string | null
  readonly userAgent: string | null
  readonly type: DocumentType
  readonly title: string
}

/** A user's own acceptances, newest first (contract: Own history). */
export async function listOwnAcceptances (
  db: Kysely<Database>, userId: string, { limit, offset }: OffsetPage
): Promise<{ acceptances: OwnAcceptance[], total: number }> {
  const { rows } = await sql<OwnRow>`
    select counted.total, page.id, page.document_id as "documentId", page.version, page.accepted_at as "acceptedAt",
      page.ip_address as "ipAddress", page.user_agent as "userAgent", d.type, d.title
    from (select count(*) as total from document_acceptances where user_id = ${userId}) counted
    left join (
      select id, document_id, version, accepted_at, ip_address, user_agent
      from document_acceptances where user_id = ${userId}
      order by accepted_at desc, id desc limit ${limit} offset ${offset}
    ) page on true
    left join legal_documents d on d.id = page.document_id
    order by page.accepted_at desc, page.id desc
  `.execute(db)
  const { items, total } = splitPage(rows)
  return {
    acceptances: items.map(({ type, title, ipAddress, userAgent, ...acceptance }) => ({
      ...acceptance,
      userId,
      ...(ipAddress !== null && { ipAddress }),
      ...(userAgent !== null && { userAgent }),
      document: { type, version: acceptance.version, title }
    })),
    total
  }
}

/** All documents, or those of one type, newest first, without their texts (specification: Admin list item). */
export async function listDocuments (db: Kysely<Database>, type: DocumentType | undefined): Promise<AdminListItem[]> {
  const ofType = type === undefined ? sql`` : sql`where d.type = ${type}`
  const { rows } = await sql<Omit<AdminListItem, 'publishedBy'> & { publishedBy: string | null }>`
    select d.id, d.type, d.version, d.title, d.is_active as "isActive", d.published_at as "publishedAt",
      d.published_by as "publishedBy", d.created_at as "createdAt", d.updated_at as "updatedAt",
      coalesce(newest.acceptances, '[]') as acceptances,
      acceptance_count(d.id) as "acceptanceCount"
    from legal_documents d
    left join lateral (
      select json_agg(json_build_object('userId', a.user_id, 'acceptedAt', ${isoTime('a.accepted_at')})) as acceptances
      from (
        select user_id, accepted_at from document_acceptances
        where document_id = d.id order by accepted_at desc, id desc limit ${sql.lit(listAcceptances)}
      ) a
    ) newest on true
    ${ofType}
    order by d.created_at desc, d.id desc
  `.execute(db)
  return rows.map(withoutNullPublisher)
}

/** One document with its newest acceptances and their exact number; refuses an unknown one (404). */
export async function readDocument (db: Kysely<Database>, id: string): Promise<LegalDocumentDetail> {
  if (!isId(id)) throw documentNotFound()
  const { rows } = await sql<Omit<LegalDocumentDetail, 'publishedBy' | 'acceptances'> & {
    publishedBy: string | null
    acceptances: Array<Record<string, unknown>>
  }>`
    select d.id, d.type, d.version, d.title, d.content, d.effective_date as "effectiveDate",
      d.published_at as "publishedAt", d.published_by as "publishedBy", d.is_active as "isActive",
      d.requires_immediate as "requiresImmediate", d.grace_period_days as "gracePeriodDays",
      d.created_at as "createdAt", d.updated_at as "updatedAt",
      coalesce((
        select json_agg(json_strip_nulls(json_build_object(
          'id', a.id, 'userId', a.user_id, 'documentId', d.id, 'version', a.version,
          'acceptedAt', ${isoTime('a.accepted_at')}, 'ipAddress', a.ip_address, 'userAgent', a.user_agent
        )))
        from (
          select id, user_id, version, accepted_at, ip_address, user_agent from document_acceptances
          where document_id = d.id order by accepted_at desc, id desc limit ${sql.lit(detailAcceptances)}
        ) a
      ), '[]') as acceptances,
      acceptance_count(d.id) as "acceptanceCount"
    from legal_documents d where d.id = ${id}
  `.execute(db)
  if (rows[0] === undefined) throw documentNotFound()
  return withoutNullPublisher(rows[0]) as unknown as LegalDocumentDetail
}

/** How many users accepted a document, of how many (specification: Analytics object); refuses an unknown one (404). */
export async function readAnalytics (db: Kysely<Database>, id: string): Promise<Analytics> {
  if (!isId(id)) throw documentNotFound()
  const { rows } = await sql<Pick<LegalDocument, 'id' | 'type' | 'version' | 'isActive' | 'publishedAt'> & { accepted: number, users: number }>`
    select d.id, d.type, d.version, d.is_active as "isActive", d.published_at as "publishedAt",
      acceptance_count(d.id) as accepted,
      user_count() as users
    from legal_documents d where d.id = ${id}
  `.execute(db)
  if (rows[0] === undefined) throw documentNotFound()
  const { id: documentId, accepted, users, ...document } = rows[0]
  return {
    documentId,
    ...document,
    totalAcceptances: accepted,
    totalUsers: users,
    acceptanceRate: users === 0 ? 0 : Math.round(10_000 * accepted / users) / 100
  }
}
