import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.js'
import { described, errorResponses, IdParameter, ref, Success } from '../../kernel/schemas.js'
import type { CurrentDocuments } from '../current.js'
import { createDraft, deleteDraft, updateDraft } from '../documents.js'
import { publishDocument } from '../publish.js'
import { listDocuments, readAnalytics, readDocument } from '../reports.js'
import {
  AdminListItem, Analytics, CreateDocumentBody, DocumentTypeName, LegalDocument, LegalDocumentDetail, PublishBody, UpdateDocumentBody
} from '../schemas.js'

/** The life of documents, for admins: draft, publish, read, analyse. */
export function legalDocumentRoutes (db: Kysely<Database>, current: CurrentDocuments): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/legal/admin/documents', { schema: listSchema }, async request => await listDocuments(db, request.query.type))

    app.get('/legal/admin/documents/:id', { schema: readSchema }, async request => await readDocument(db, request.params.id))

    app.post('/legal/admin/documents', { schema: createSchema, bodyLimit: textBodyLimit }, async (request, reply) => {
      const draft = await createDraft(db, request.body)
      reply.code(201)
      return draft
    })

    app.put('/legal/admin/documents/:id', { schema: updateSchema, bodyLimit: textBodyLimit }, async request =>
      await updateDraft(db, request.params.id, request.body))

    app.post('/legal/admin/documents/:id/publish', { schema: publishSchema }, async request => {
      const document = await publishDocument(db, request.params.id, request.caller.email, request.body)
      // Whoever published through this instance reads the new document from it.
      current.invalidate()
      return document
    })

    app.delete('/legal/admin/documents/:id', { schema: deleteSchema }, async request => {
      await deleteDraft(db, request.params.id)
      return { success: true as const }
    })

    app.get('/legal/admin/documents/:id/analytics', { schema: analyticsSchema }, async request =>
      await readAnalytics(db, request.params.id))
  }
}

/** 2 MiB of text may take six bytes of JSON a byte, plus the other fields. */
const textBodyLimit = 14 * 1024 * 1024

const tags = ['Legal administration']
const params = Type.Object({ id: IdParameter })

const listSchema = {
  operationId: 'listDocuments',
  summary: 'All documents',
  description: 'Newest first, drafts included, without their texts; each with the newest 100 acceptances and their exact number.',
  tags,
  querystring: Type.Object({ type: Type.Optional(described(DocumentTypeName, 'Of this type of document only.')) }),
  response: { 200: Type.Array(ref(AdminListItem), { description: 'All documents.' }), ...errorResponses(400, 401, 403) }
}

const readSchema = {
  operationId: 'getDocument',
  summary: 'One document in full',
  description: 'With its newest 1,000 acceptances and their exact number.',
  tags,
  params,
  response: { 200: ref(LegalDocumentDetail, 'The document.'), ...errorResponses(400, 401, 403, 404) }
}

const createSchema = {
  operationId: 'createDocument',
  summary: 'Create a draft',
  description: 'The pair of type and version must be new. Unknown fields are refused: a silent strip would hide a mistake in a legal text. ' +
    'A version lower than the active one is allowed, so that a text can be rolled back.',
  tags,
  body: CreateDocumentBody,
  response: {
    201: ref(LegalDocument, 'The draft.'),
    ...errorResponses(400, 401, 403, 413, 415)
  }
}

const updateSchema = {
  operationId: 'updateDocument',
  summary: 'Change a draft',
  description: 'What is absent stays; type and version cannot be changed. A published document is immutable: 400.',
  tags,
  params,
  body: UpdateDocumentBody,
  response: { 200: ref(LegalDocument, 'The changed draft.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}

const publishSchema = {
  operationId: 'publishDocument',
  summary: 'Publish a draft',
  description: 'Makes it the one active document of its type at once, whatever its `effectiveDate`, and archives the previous one, ' +
    'in one transaction. Fields left out, or no body at all, keep the draft\'s values. Concurrent publishes of one type run one after the other.',
  tags,
  params,
  body: PublishBody,
  response: { 200: ref(LegalDocument, 'The active document.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}

const deleteSchema = {
  operationId: 'deleteDocument',
  summary: 'Delete a draft',
  description: 'A published document cannot be deleted: 400.',
  tags,
  params,
  response: { 200: ref(Success, 'The draft is gone.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}

const analyticsSchema = {
  operationId: 'getDocumentAnalytics',
  summary: 'How many users accepted a document',
  description: 'Of all users that the service knows: those who called it and those whom an admin registered.',
  tags,
  params,
  response: { 200: ref(Analytics, 'The figures.'), ...errorResponses(400, 401, 403, 404) }
}
