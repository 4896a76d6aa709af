import type { Kysely, Transaction } from 'kysely'
import { readFile } from 'node:fs/promises'
import type { Database } from '../../src/database/schema.js'
import { inTransaction } from '../../src/database/transaction.js'
import { newId } from '../../src/kernel/ids.js'
import type { DocumentType } from '../../src/legal/schemas.js'
import { personas } from '../personas.js'
import { demoPeople, type Person } from './people.js'

const day = 24 * 60 * 60 * 1000
const historyDays = 560

interface Version {
  readonly type: DocumentType
  readonly version: string
  readonly title: string
  readonly createdDaysAgo: number
  /** Absent: a draft. */
  readonly publishedDaysAgo?: number
  readonly requiresImmediate: boolean
  readonly gracePeriodDays: number
}

/** In the order in which they were published. */
const versions: readonly Version[] = [
  { type: 'terms', version: '1.0.0', title: 'Terms of use', createdDaysAgo: 556, publishedDaysAgo: 550, requiresImmediate: true, gracePeriodDays: 0 },
  { type: 'privacy', version: '1.0.0', title: 'Privacy notice', createdDaysAgo: 555, publishedDaysAgo: 549, requiresImmediate: true, gracePeriodDays: 0 },
  { type: 'terms', version: '1.1.0', title: 'Terms of use', createdDaysAgo: 312, publishedDaysAgo: 300, requiresImmediate: false, gracePeriodDays: 60 },
  { type: 'privacy', version: '1.1.0', title: 'Privacy notice', createdDaysAgo: 131, publishedDaysAgo: 120, requiresImmediate: false, gracePeriodDays: 30 },
  { type: 'terms', version: '2.0.0', title: 'Terms of use', createdDaysAgo: 35, publishedDaysAgo: 21, requiresImmediate: true, gracePeriodDays: 0 },
  { type: 'privacy', version: '2.0.0', title: 'Privacy notice', createdDaysAgo: 3, requiresImmediate: true, gracePeriodDays: 0 }
]

interface Acceptance {
  readonly person: Person
  readonly type: DocumentType
  readonly version: string
  readonly at: number
}

/**
 * Loads both types of document in several versions, people, and what they accepted and when, in one transaction. Does
 * nothing where there are documents or users already.
 */
export async function loadDocuments (db: Kysely<Database>): Promise<void> {
  if (await db.selectFrom('legal_documents').select('id').limit(1).executeTakeFirst() !== undefined) return
  if (await db.selectFrom('users').select('id').limit(1).executeTakeFirst() !== undefined) return
  const now = Date.now()
  const people = demoPeople(now, historyDays)
  const acceptances = versions.flatMap(version => acceptancesOf(version, people, now))
  await inTransaction(db, async trx => {
    await trx.insertInto('users').values(people.map(person => toUser(person, acceptances))).execute()
    for (const version of versions) {
      const id = await loadVersion(trx, version, now)
      // Only the active document can be accepted, so this goes version by version.
      const rows = acceptances.filter(({ type, version: accepted }) => type === version.type && accepted === version.version)
      if (rows.length > 0) await trx.insertInto('document_acceptances').values(rows.map(row => toAcceptance(row, id))).execute()
    }
  })
}

async function loadVersion (trx: Transaction<Database>, version: Version, now: number): Promise<string> {
  const { type, createdDaysAgo, publishedDaysAgo, requiresImmediate, gracePeriodDays } = version
  const id = newId()
  const created = time(now - createdDaysAgo * day)
  await trx.insertInto('legal_documents').values({
    id,
    type,
    version: version.version,
    title: version.title,
    content: await readFile(new URL(`texts/${type}-${version.version}.md`, import.meta.url), 'utf8'),
    effective_date: time(startOfDay(now - ((publishedDaysAgo ?? -30) - 7) * day)),
    requires_immediate: requiresImmediate,
    grace_period_days: gracePeriodDays,
    created_at: created,
    updated_at: created
  }).execute()
  if (publishedDaysAgo === undefined) return id
  const published = time(now - publishedDaysAgo * day)
  await trx.updateTable('legal_documents').set({ is_active: false, updated_at: published })
    .where('type', '=', type).where('is_active', '=', true).execute()
  await trx.updateTable('legal_documents')
    .set({ is_active: true, published_at: published, published_by: personas.admin.email, updated_at: published })
    .where('id', '=', id).execute()
  return id
}

/** Who accepted a version while it was the active one. */
function acceptancesOf ({ type, version, publishedDaysAgo }: Version, people: readonly Person[], now: number): Acceptance[] {
  if (publishedDaysAgo === undefined) return []
  const published = now - publishedDaysAgo * day
  const successor = versions.find(next => next.type === type && (next.publishedDaysAgo ?? publishedDaysAgo) < publishedDaysAgo)
  const end = now - (successor?.publishedDaysAgo ?? 0) * day
  return people
    .map(person => ({ person, type, version, at: Math.max(published, person.since) + (person.delayDays + 0.001) * day }))
    .filter(({ at }) => at < end)
}

function toUser ({ id, email, firstName, lastName, since }: Person, acceptances: readonly Acceptance[]) {
  const own = acceptances.filter(({ person }) => person.id === id)
  const terms = own.findLast(({ type }) => type === 'terms')
  const privacy = own.findLast(({ type }) => type === 'privacy')
  return {
    id,
    email,
    first_name: firstName,
    last_name: lastName,
    created_at: time(since),
    terms_version: terms?.version ?? null,
    terms_accepted_at: terms === undefined ? null : time(terms.at),
    privacy_version: privacy?.version ?? null,
    privacy_accepted_at: privacy === undefined ? null : time(privacy.at)
  }
}

function toAcceptance ({ person, type, version, at }: Acceptance, documentId: string) {
  return {
    id: newId(),
    user_id: person.id,
    document_id: documentId,
    type,
    version,
    accepted_at: time(at),
    ip_address: person.ipAddress,
    user_agent: person.userAgent
  }
}

function startOfDay (at: number): number {
  return at - at % day
}

function time (at: number): string {
  return new Date(at).toISOString()
}
