import type { Kysely } from 'kysely'
import type { Caller } from '../auth/caller.js'
import { claimColumns, isRecordedText, writeCaller } from '../auth/users.js'
import { Batches } from '../database/batches.js'
import type { Database } from '../database/schema.js'
import { runFixed } from '../database/sql.js'
import type { TermsStatus } from './schemas.js'

interface StatusRow {
  /** Whether the user record exists and says what the token says. */
  readonly recorded: boolean
  readonly userTermsVersion: string | null
  readonly userPrivacyVersion: string | null
  readonly currentTermsVersion: string | null
  readonly termsRequiresImmediate: boolean | null
  readonly termsGracePeriodDays: number | null
  readonly termsAccepted: boolean
  readonly currentPrivacyVersion: string | null
  readonly privacyRequiresImmediate: boolean | null
  readonly privacyGracePeriodDays: number | null
  readonly privacyAccepted: boolean
}

const statusText = `
  select ${isRecordedText} as recorded,
    u.terms_version as "userTermsVersion", u.privacy_version as "userPrivacyVersion",
    t.version as "currentTermsVersion", t.requires_immediate as "termsRequiresImmediate",
    t.grace_period_days as "termsGracePeriodDays",
    exists (select from document_acceptances a where a.user_id = u.id and a.document_id = t.id) as "termsAccepted",
    p.version as "currentPrivacyVersion", p.requires_immediate as "privacyRequiresImmediate",
    p.grace_period_days as "privacyGracePeriodDays",
    exists (select from document_acceptances a where a.user_id = u.id and a.document_id = p.id) as "privacyAccepted"
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as w (id, email, first_name, last_name, position)
  left join users u on u.id = w.id
  left join legal_documents t on t.type = 'terms' and t.is_active
  left join legal_documents p on p.type = 'privacy' and p.is_active
  order by w.position
`

export interface StatusReader {
  /** Whether `read` would refuse. */
  readonly isOverloaded: boolean
  read (caller: Caller): Promise<TermsStatus>
}

/**
 * Answers the status of a caller (specification: TermsStatus; contract: Status flags, User record). Callers who ask while
 * others are being answered share one statement; a caller whose user record is missing or differs from the token takes
 * a second one.
 */
export function statusReader (db: Kysely<Database>): StatusReader {
  const batches = new Batches<Caller, StatusRow>({
    flights: 2,
    size: 128,
    maximumWaiting: 5000,
    run: async callers => await runFixed<StatusRow>(db, statusText, claimColumns(callers))
  })
  return {
    get isOverloaded () { return batches.isOverloaded },
    async read (caller) {
      const row = await batches.add(caller)
      if (!row.recorded) await writeCaller(db, caller)
      return toStatus(row)
    }
  }
}

function toStatus (row: StatusRow): TermsStatus {
  const needsTermsAcceptance = row.currentTermsVersion !== null && !row.termsAccepted
  const needsPrivacyAcceptance = row.currentPrivacyVersion !== null && !row.privacyAccepted
  return {
    needsAcceptance: needsTermsAcceptance || needsPrivacyAcceptance,
    needsTermsAcceptance,
    needsPrivacyAcceptance,
    currentTermsVersion: row.currentTermsVersion,
    currentPrivacyVersion: row.currentPrivacyVersion,
    userTermsVersion: row.userTermsVersion,
    userPrivacyVersion: row.userPrivacyVersion,
    termsRequiresImmediate: row.termsRequiresImmediate ?? false,
    privacyRequiresImmediate: row.privacyRequiresImmediate ?? false,
    termsGracePeriodDays: row.termsGracePeriodDays ?? 0,
    privacyGracePeriodDays: row.privacyGracePeriodDays ?? 0
  }
}
