import type { Generated } from 'kysely'

/** The user record (specification: User record; contract: User record). */
export interface UserRow {
  id: string
  email: Generated<string>
  first_name: Generated<string>
  last_name: Generated<string>
  terms_version: string | null
  terms_accepted_at: string | null
  privacy_version: string | null
  privacy_accepted_at: string | null
  created_at: Generated<string>
}

export interface AuthTables {
  users: UserRow
}
