import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { inTransaction } from '../database/transaction.js'
import { isId } from '../kernel/ids.js'
import { Refusal } from '../kernel/refusal.js'
import { documentColumns, documentNotFound, withoutNullPublisher } from './documents.js'
import type { LegalDocument, PublishBody } from './schemas.js'

/**
 * Makes a draft the one active document of its type and archives the previous one, in one transaction. Publishes of
 * one type run one after the other, and each bears a later `publishedAt` than the one before. Acceptances under way
 * are waited for. Refuses an unknown document (404) and a published one (400); fields left out keep the draft's
 * values (specification: draft, publish; contract: Two concurrent publishes of one type).
 */
export async function publishDocument (db: Kysely<Database>, id: string, publishedBy: string, body: PublishBody): Promise<LegalDocument> {
  if (!isId(id)) throw documentNotFound()
  return await inTransaction(db, async trx => {
    const found = await trx.selectFrom('legal_documents').select('type').where('id', '=', id).executeTakeFirst()
    if (found === undefined) throw documentNotFound()
    await sql`select pg_advisory_xact_lock(hashtext(${`legal_documents:${found.type}`}))`.execute(trx)

    const draft = await trx.selectFrom('legal_documents').select(['id', 'published_at']).where('id', '=', id)
      .forUpdate().executeTakeFirst()
    if (draft === undefined) throw documentNotFound()
    if (draft.published_at !== null) throw new Refusal('invalid', 'This document is already published')

    await trx.updateTable('legal_documents')
      .set({ is_active: false, updated_at: sql`clock_timestamp()` })
      .where('type', '=', found.type).where('is_active', '=', true).execute()
    const published = await trx.updateTable('legal_documents')
      .set({
        is_active: true,
        published_at: publishTime(found.type),
        published_by: publishedBy,
        updated_at: sql`clock_timestamp()`,
        ...(body.requiresImmediate !== undefined && { requires_immediate: body.requiresImmediate }),
        ...(body.gracePeriodDays !== undefined && { grace_period_days: body.gracePeriodDays })
      })
      .where('id', '=', id).where('published_at', 'is', null)
      .returning(documentColumns).executeTakeFirstOrThrow()
    return withoutNullPublisher(published)
  })
}

/** Taken under the type's lock, and later than every publish before it even within one millisecond or a clock set back. */
function publishTime (type: string) {
  return sql<string>`greatest(
    clock_timestamp(),
    (select max(published_at) + interval '1 millisecond' from legal_documents where type = ${type} and published_at is not null)
  )`
}
