import type { Generated } from 'kysely'
import type { DocumentType } from './schemas.js'

/** Times are ISO 8601 texts in UTC with milliseconds, as the pool reads them. */
type Time = string

export interface LegalDocumentRow {
  id: string
  type: DocumentType
  version: string
  title: string
  content: string
  effective_date: Time
  published_at: Time | null
  published_by: string | null
  is_active: Generated<boolean>
  requires_immediate: Generated<boolean>
  grace_period_days: Generated<number>
  created_at: Generated<Time>
  updated_at: Generated<Time>
}

export interface DocumentAcceptanceRow {
  id: string
  user_id: string
  document_id: string
  type: DocumentType
  version: string
  accepted_at: Generated<Time>
  ip_address: string | null
  user_agent: string | null
}

export interface LegalTables {
  legal_documents: LegalDocumentRow
  document_acceptances: DocumentAcceptanceRow
}
