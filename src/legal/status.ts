import type { Kysely } from 'kysely'
import type { Caller } from '../auth/caller.js'
import { isRecorded, recordCaller } from '../auth/users.js'
import type { Database } from '../database/schema.js'
import { runFixed } from '../database/sql.js'
import type { TermsStatus } from './schemas.js'

interface StatusRow {
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
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
  select u.email, u.first_name as "firstName", u.last_name as "lastName",
    u.terms_version as "userTermsVersion", u.privacy_version as "userPrivacyVersion",
    t.version as "currentTermsVersion", t.requires_immediate as "termsRequiresImmediate",
    t.grace_period_days as "termsGracePeriodDays",
    exists (select from document_acceptances a where a.user_id = u.id and a.document_id = t.id) as "termsAccepted",
    p.version as "currentPrivacyVersion", p.requires_immediate as "privacyRequiresImmediate",
    p.grace_period_days as "privacyGracePeriodDays",
    exists (select from document_acceptances a where a.user_id = u.id and a.document_id = p.id) as "privacyAccepted"
  from (values (1)) as one
  left join users u on u.id = $1
  left join legal_documents t on t.type = 'terms' and t.is_active
  left join legal_documents p on p.type = 'privacy' and p.is_active
`

/**
 * The eleven fields of TermsStatus for a caller, in one round trip; a second one only when the user record is missing
 * or differs from the token (specification: TermsStatus; contract: Status flags, User record).
 */
export async function readStatus (db: Kysely<Database>, caller: Caller): Promise<TermsStatus> {
  const [row] = await runFixed<StatusRow>(db, statusText, [caller.userId]) as [StatusRow]
  if (!isRecorded(caller, row)) await recordCaller(db, caller)
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
