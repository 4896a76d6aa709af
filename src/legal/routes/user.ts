import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import type { RecordCaller } from '../../auth/users.js'
import type { Database } from '../../database/schema.js'
import { errorResponses, offsetPage, OffsetPaging, pageFields, ref } from '../../kernel/schemas.js'
import { Refusal } from '../../kernel/refusal.js'
import { acceptances } from '../accept.js'
import { listOwnAcceptances } from '../reports.js'
import { AcceptBody, DocumentAcceptance, OwnAcceptance, TermsStatus } from '../schemas.js'
import { statusReader } from '../status.js'

/** What a signed-in user does: accept, ask what is left to accept, read the own history. */
export function legalUserRoutes (db: Kysely<Database>, recordCaller: RecordCaller): FastifyPluginAsyncTypebox {
  const accepting = acceptances(db)
  const statuses = statusReader(db)
  return async app => {
    app.post('/legal/accept', { schema: acceptSchema, config: { isOverloaded: () => accepting.isOverloaded } }, async (request, reply) => {
      const result = await accepting.add({ caller: request.caller, body: request.body })
      if (result instanceof Refusal) throw result
      reply.code(result.created ? 201 : 200)
      return result.acceptance
    })

    app.get('/legal/status', { schema: statusSchema, config: { isOverloaded: () => statuses.isOverloaded } }, async request =>
      await statuses.read(request.caller))

    app.get('/legal/acceptances', { schema: ownSchema }, async request => {
      await recordCaller(request.caller)
      const page = offsetPage(request.query)
      return { ...await listOwnAcceptances(db, request.caller.userId, page), ...page }
    })
  }
}

const tags = ['Legal acceptance']

const acceptSchema = {
  operationId: 'acceptDocument',
  summary: 'Accept the active document of a type',
  description: 'Records the acceptance of the document that is active now; its version is copied from it. Accepting it again ' +
    'answers 200 with the original record, untouched. With `documentId` or `version` only that document is accepted: when ' +
    'another one is active, the answer is 409 and nothing is stored. ipAddress and userAgent are stored as sent and never ' +
    'filled in from the connection.',
  tags,
  body: AcceptBody,
  response: {
    201: ref(DocumentAcceptance, 'The acceptance was recorded.'),
    200: ref(DocumentAcceptance, 'It had been recorded before.'),
    ...errorResponses(400, 401, 409, 413, 415)
  }
}

const statusSchema = {
  operationId: 'getAcceptanceStatus',
  summary: 'What the caller still has to accept',
  description: 'A `requiresImmediate` of true asks clients for a blocking prompt, false for a notice that becomes blocking ' +
    'after the grace period, counted from publication. The service itself neither counts down nor blocks.',
  tags,
  response: { 200: ref(TermsStatus, 'The status of the caller.'), ...errorResponses(400, 401) }
}

const ownSchema = {
  operationId: 'listOwnAcceptances',
  summary: 'The caller\'s own acceptances',
  description: 'Newest first, each with the type, version and title of its document.',
  tags,
  querystring: Type.Object(OffsetPaging),
  response: {
    200: Type.Object({ acceptances: Type.Array(ref(OwnAcceptance)), ...pageFields }, { description: 'A page of the history.' }),
    ...errorResponses(400, 401)
  }
}
