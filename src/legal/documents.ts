import { type Kysely, sql } from 'kysely'
import { violatedConstraint } from '../database/errors.js'
import type { Database } from '../database/schema.js'
import { isId, newId } from '../kernel/ids.js'
import { Refusal } from '../kernel/refusal.js'
import { splitPage } from '../kernel/paging.js'
import type { OffsetPage } from '../kernel/schemas.js'
import type { CreateDocumentBody, DocumentType, LegalDocument, LegalDocumentVersion, UpdateDocumentBody } from './schemas.js'

/** A document's columns but its text, named as clients see them. */
export const headColumns = [
  'id', 'type', 'version', 'title', 'effective_date as effectiveDate', 'published_at as publishedAt',
  'published_by as publishedBy', 'is_active as isActive', 'requires_immediate as requiresImmediate',
  'grace_period_days as gracePeriodDays', 'created_at as createdAt', 'updated_at as updatedAt'
] as const

export const documentColumns = [...headColumns, 'content'] as const

/** `publishedBy` is an optional field: absent, not null, while nobody has published. */
export function withoutNullPublisher<T extends { publishedBy: string | null }> (row: T): Omit<T, 'publishedBy'> & { publishedBy?: string } {
  const { publishedBy, ...rest } = row
  return publishedBy === null ? rest : { ...rest, publishedBy }
}

export const documentNotFound = () => new Refusal('not-found', 'Document not found')

/** A published document by type and version, or undefined; drafts are never found (contract: Old versions). */
export async function findPublishedVersion (db: Kysely<Database>, type: DocumentType, version: string): Promise<LegalDocument | undefined> {
  const row = await db.selectFrom('legal_documents').select(documentColumns)
    .where('type', '=', type).where('version', '=', version).where('published_at', 'is not', null).executeTakeFirst()
  return row && withoutNullPublisher(row)
}

/** The published documents of a type, newest first, and how many there are (contract: Old versions). */
export async function listPublishedVersions (
  db: Kysely<Database>, type: DocumentType, { limit, offset }: OffsetPage
): Promise<{ versions: LegalDocumentVersion[], total: number }> {
  const { rows } = await sql<HeadRow & { total: number }>`
    select counted.total, page.id, page.type, page.version, page.title, page.effective_date as "effectiveDate",
      page.published_at as "publishedAt", page.published_by as "publishedBy", page.is_active as "isActive",
      page.requires_immediate as "requiresImmediate", page.grace_period_days as "gracePeriodDays",
      page.created_at as "createdAt", page.updated_at as "updatedAt"
    from (
      select count(*) as total from legal_documents where type = ${type} and published_at is not null
    ) counted left join (
      select id, type, version, title, effective_date, published_at, published_by, is_active, requires_immediate,
        grace_period_days, created_at, updated_at
      from legal_documents where type = ${type} and published_at is not null
      order by published_at desc, id desc limit ${limit} offset ${offset}
    ) page on true
    order by page.published_at desc, page.id desc
  `.execute(db)
  const { items, total } = splitPage(rows)
  return { versions: items.map(withoutNullPublisher), total }
}

type HeadRow = Omit<LegalDocument, 'content' | 'publishedBy'> & { publishedBy: string | null }

/** Creates a draft; refuses (400) a type and version that exist (specification: Errors). */
export async function createDraft (db: Kysely<Database>, body: CreateDocumentBody): Promise<LegalDocument> {
  const { type, version, title, content, requiresImmediate = true, gracePeriodDays = 0 } = body
  try {
    const row = await db.insertInto('legal_documents').values({
      id: newId(),
      type,
      version,
      title,
      content,
      effective_date: toStoredTime(body.effectiveDate),
      requires_immediate: requiresImmediate,
      grace_period_days: gracePeriodDays
    }).returning(documentColumns).executeTakeFirstOrThrow()
    return withoutNullPublisher(row)
  } catch (error) {
    if (violatedConstraint(error) !== 'legal_documents_type_version') throw error
    throw new Refusal('invalid', `Document with type '${type}' and version '${version}' already exists`)
  }
}

/** Changes the given fields of a draft; refuses an unknown document (404) and a published one (400). */
export async function updateDraft (db: Kysely<Database>, id: string, body: UpdateDocumentBody): Promise<LegalDocument> {
  if (!isId(id)) throw documentNotFound()
  const row = await db.updateTable('legal_documents')
    .set({
      ...(body.title !== undefined && { title: body.title }),
      ...(body.content !== undefined && { content: body.content }),
      ...(body.effectiveDate !== undefined && { effective_date: toStoredTime(body.effectiveDate) }),
      ...(body.requiresImmediate !== undefined && { requires_immediate: body.requiresImmediate }),
      ...(body.gracePeriodDays !== undefined && { grace_period_days: body.gracePeriodDays }),
      // `updatedAt` changes with each update (specification), also with two within a millisecond.
      updated_at: sql`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`
    })
    .where('id', '=', id).where('published_at', 'is', null)
    .returning(documentColumns).executeTakeFirst()
  if (row === undefined) throw await whyNotDraft(db, id, 'Cannot update a published document. Create a new version instead.')
  return withoutNullPublisher(row)
}

/** Removes a draft; refuses an unknown document (404) and a published one (400). */
export async function deleteDraft (db: Kysely<Database>, id: string): Promise<void> {
  if (!isId(id)) throw documentNotFound()
  const row = await db.deleteFrom('legal_documents')
    .where('id', '=', id).where('published_at', 'is', null)
    .returning('id').executeTakeFirst()
  if (row === undefined) throw await whyNotDraft(db, id, 'Cannot delete a published document')
}

/** A draft cannot become one again once published, so asking after the fact is no race. */
async function whyNotDraft (db: Kysely<Database>, id: string, publishedMessage: string): Promise<Refusal> {
  const row = await db.selectFrom('legal_documents').select('id').where('id', '=', id).executeTakeFirst()
  return row === undefined ? documentNotFound() : new Refusal('invalid', publishedMessage)
}

/** Milliseconds are all that clients ever see, so they are all that is stored: digits beyond are cut, not rounded. */
function toStoredTime (dateTime: string): string {
  return new Date(dateTime.toUpperCase()).toISOString()
}
