import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.js'
import { sendReady } from '../../kernel/ready.js'
import { Refusal } from '../../kernel/refusal.js'
import { described, errorResponses, offsetPage, OffsetPaging, pageFields, ref } from '../../kernel/schemas.js'
import type { CurrentDocument, CurrentDocuments } from '../current.js'
import { findPublishedVersion, listPublishedVersions } from '../documents.js'
import { DocumentTypeName, LegalDocument, LegalDocumentVersion } from '../schemas.js'

/** What anybody may read: the active document of a type and the published versions. */
export function legalPublicRoutes (db: Kysely<Database>, current: CurrentDocuments): FastifyPluginAsyncTypebox {
  return async app => {
    await app.register(async (ready: typeof app) => {
      ready.decorateRequest('sendsReady', true)
      ready.get('/legal/current/:type', { schema: currentSchema }, (request, reply) => {
        const { type } = request.params
        const seen = request.headers['if-none-match']
        const document = current.find(type)
        // At once what is at hand: a promise for every request would cost more than finding its route.
        if (document instanceof Promise) document.then(read => { sendCurrent(reply, type, read, seen) }).catch(error => { reply.send(error) })
        else sendCurrent(reply, type, document, seen)
      })
    })

    app.get('/legal/versions/:type', { schema: versionsSchema }, async request => {
      const page = offsetPage(request.query)
      return { ...await listPublishedVersions(db, request.params.type, page), ...page }
    })

    app.get('/legal/versions/:type/:version', { schema: versionSchema }, async request => {
      const { type, version } = request.params
      const document = await findPublishedVersion(db, type, version)
      if (document === undefined) throw new Refusal('not-found', 'Document not found')
      return document
    })
  }
}

function sendCurrent (reply: FastifyReply, type: string, document: CurrentDocument | undefined, seen: string | undefined): void {
  if (document === undefined) throw new Refusal('not-found', `No active ${type} document found`)
  sendReady(reply, matches(seen, document.etag) ? document.notModified : document.whole)
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2). */
function matches (header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some(candidate => candidate.trim().replace(/^W\//, '') === etag)
}

const tags = ['Legal documents']

const TypeParameter = described(DocumentTypeName, 'The type of document.')

const currentSchema = {
  operationId: 'getCurrentDocument',
  summary: 'The active document of a type',
  description: 'Answers with an `ETag` and `Cache-Control: no-cache`; with a matching `If-None-Match` it is 304 without a body. ' +
    'A document is active from the moment it is published, also when its `effectiveDate` lies in the future. ' +
    'After a publish other instances may answer with the previous document for up to two seconds.',
  tags,
  params: Type.Object({ type: TypeParameter }),
  response: {
    200: ref(LegalDocument, 'The active document.'),
    304: Type.Null({ description: 'The client holds the active document already.' }),
    ...errorResponses(400, 404)
  }
}

const versionsSchema = {
  operationId: 'listDocumentVersions',
  summary: 'The published versions of a type',
  description: 'Newest publish first, without their texts. Drafts are never visible.',
  tags,
  params: Type.Object({ type: TypeParameter }),
  querystring: Type.Object(OffsetPaging),
  response: {
    200: Type.Object({
      versions: Type.Array(ref(LegalDocumentVersion)), ...pageFields
    }, { description: 'A page of versions.' }),
    ...errorResponses(400)
  }
}

const versionSchema = {
  operationId: 'getDocumentVersion',
  summary: 'One published version in full',
  description: 'Drafts are never visible: they are 404 like versions that do not exist.',
  tags,
  params: Type.Object({ type: TypeParameter, version: Type.String({ format: 'text', description: 'As it was published.', examples: ['1.0.0'] }) }),
  response: { 200: ref(LegalDocument, 'The published document.'), ...errorResponses(400, 404) }
}
