import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import { startupOf } from '../../auth/scopes.js'
import type { Database } from '../../database/schema.js'
import { errorResponses, IdParameter, ref, Success } from '../../kernel/schemas.js'
import { acceptFromPool } from '../assignments.js'
import { JustificationBody, pageOf, pagination, PoolQuery, refused } from '../inputs.js'
import { listPool, recordView } from '../pool.js'
import { Pagination, Signal, SignalAssignment } from '../schemas.js'
import { startupIn } from './actors.js'

/** The public pool, for startups (specification: Pool). */
export function poolRoutes (db: Kysely<Database>): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/signal-pool', { schema: listSchema }, async request => {
      const page = pageOf(request.query)
      const { items: signals, total } = await listPool(db, request.query, page)
      return { signals, pagination: pagination(page, total) }
    })

    app.post('/signal-pool/:signalId/accept', { schema: acceptSchema }, async (request, reply) => {
      const { signal, assignment } = await acceptFromPool(db, request.params.signalId, startupIn(request), request.body.justification)
      reply.code(201)
      return { success: true as const, assignment, signal }
    })

    app.post('/signal-pool/:signalId/view', { schema: viewSchema }, async request => {
      await recordView(db, request.params.signalId, startupOf(request))
      return { success: true as const }
    })
  }
}

const tags = ['Signal pool']
const params = Type.Object({ signalId: IdParameter })

const listSchema = {
  operationId: 'listPool',
  summary: 'The signals in the pool',
  description: 'Public, active and not archived, newest publication first. A signal that was taken stays listed and shows its status; ' +
    '`available=true` leaves only those that can still be accepted. `search` is a literal part of title or description, in any ' +
    'letter case of any script.',
  tags,
  querystring: PoolQuery,
  response: { 200: Type.Object({ signals: Type.Array(ref(Signal)), pagination: ref(Pagination) }, { description: 'A page of signals.' }), ...errorResponses(400, 401, 403) }
}

const acceptSchema = {
  operationId: 'acceptFromPool',
  summary: 'Take a signal from the pool',
  description: 'Exactly one startup can: the others get 409. A signal that is not in the pool is 404.',
  tags,
  params,
  body: JustificationBody,
  response: {
    201: Type.Object({ success: Type.Literal(true), assignment: ref(SignalAssignment), signal: ref(Signal) }, { description: 'The signal is the caller\'s startup\'s.' }),
    ...errorResponses(400, 401, 403, 404, 413, 415),
    ...refused
  }
}

const viewSchema = {
  operationId: 'recordView',
  summary: 'Record a view of a signal in the pool',
  description: 'Each call adds one to `viewCount`; the record of the caller\'s startup keeps the time of its last view. Not in the pool: 404.',
  tags,
  params,
  response: { 200: ref(Success, 'It was done.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}
