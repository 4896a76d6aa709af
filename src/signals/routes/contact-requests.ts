import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import { startupOf } from '../../auth/scopes.js'
import type { Database } from '../../database/schema.js'
import { errorResponses, IdParameter, ref } from '../../kernel/schemas.js'
import { approveRequest, listConnections, listRequests, readRequest, rejectRequest } from '../contact-requests.js'
import { ApproveBody, ContactRequestQuery, pageOf, PageQuery, pagination, refused, RejectBody } from '../inputs.js'
import { Connection, ContactRequest, Pagination, Signal } from '../schemas.js'
import { adminIn } from './actors.js'

/** The review of contact requests, for admins (specification: Contact request review). */
export function contactRequestRoutes (db: Kysely<Database>): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/contact-requests', { schema: listSchema }, async request => {
      const page = pageOf(request.query)
      const { items: contactRequests, total } = await listRequests(db, request.query, page)
      return { contactRequests, pagination: pagination(page, total) }
    })

    app.get('/contact-requests/:id', { schema: readSchema }, async request => await readRequest(db, request.params.id))

    app.post('/contact-requests/:id/approve', { schema: approveSchema }, async request => {
      const { contactRequest, connection, signal } = await approveRequest(db, request.params.id, adminIn(request), request.body.reviewNotes)
      return { success: true as const, contactRequest, connection, signal }
    })

    app.post('/contact-requests/:id/reject', { schema: rejectSchema }, async request => {
      const { contactRequest, signal } = await rejectRequest(db, request.params.id, adminIn(request), request.body.reviewNotes)
      return { success: true as const, contactRequest, signal }
    })
  }
}

/** The connections that approvals made: all for an admin, the own ones for a startup. */
export function connectionRoutes (db: Kysely<Database>): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/connections', { schema: connectionsSchema }, async request => {
      const page = pageOf(request.query)
      const { items: connections, total } = await listConnections(db, page, request.caller.isSignalAdmin ? undefined : startupOf(request))
      return { connections, pagination: pagination(page, total) }
    })
  }
}

const tags = ['Contact requests']
const params = Type.Object({ id: IdParameter })
const reviewFields = { success: Type.Literal(true), contactRequest: ref(ContactRequest), signal: ref(Signal) }
const reviewErrors = { ...errorResponses(400, 401, 403, 404, 413, 415), ...refused }

const listSchema = {
  operationId: 'listContactRequests',
  summary: 'All contact requests',
  description: 'Newest first. An unknown signal gives an empty list.',
  tags,
  querystring: ContactRequestQuery,
  response: { 200: Type.Object({ contactRequests: Type.Array(ref(ContactRequest)), pagination: ref(Pagination) }, { description: 'A page of contact requests.' }), ...errorResponses(400, 401, 403) }
}

const readSchema = {
  operationId: 'getContactRequest',
  summary: 'One contact request',
  description: 'As the lists show it.',
  tags,
  params,
  response: { 200: ref(ContactRequest, 'The contact request.'), ...errorResponses(400, 401, 403, 404) }
}

const approveSchema = {
  operationId: 'approveContactRequest',
  summary: 'Approve a contact request',
  description: 'Makes the connection in the same transaction. `decision` may be absent; any other than `approved` is 400. Not pending: 409.',
  tags,
  params,
  body: ApproveBody,
  response: { 200: Type.Object({ ...reviewFields, connection: ref(Connection) }, { description: 'The request, its signal and the connection.' }), ...reviewErrors }
}

const rejectSchema = {
  operationId: 'rejectContactRequest',
  summary: 'Reject a contact request',
  description: 'With a reason in `reviewNotes`, which the startup can read. `decision` may be absent; any other than `rejected` is 400. Not pending: 409.',
  tags,
  params,
  body: RejectBody,
  response: { 200: Type.Object(reviewFields, { description: 'The request and its signal.' }), ...reviewErrors }
}

const connectionsSchema = {
  operationId: 'listConnections',
  summary: 'The connections made by approvals',
  description: 'Newest first; all of them for an admin, its own for a startup.',
  tags,
  querystring: PageQuery,
  response: { 200: Type.Object({ connections: Type.Array(ref(Connection)), pagination: ref(Pagination) }, { description: 'A page of connections.' }), ...errorResponses(400, 401, 403) }
}
