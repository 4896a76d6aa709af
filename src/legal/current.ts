import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { findActiveDocument } from './documents.js'
import type { DocumentType } from './schemas.js'

/** The active document as it goes out: JSON bytes and a strong ETag over them. */
export interface CurrentDocument {
  readonly body: Buffer
  readonly etag: string
}

/** Where the public route finds the active document of a type; undefined when there is none. */
export interface CurrentDocuments {
  find (type: DocumentType): Promise<CurrentDocument | undefined>
}

/** Reads the active document from the database and makes its bytes. */
export async function loadCurrentDocument (db: Kysely<Database>, type: DocumentType): Promise<CurrentDocument | undefined> {
  const document = await findActiveDocument(db, type)
  if (document === undefined) return undefined
  const body = Buffer.from(JSON.stringify(document))
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}
