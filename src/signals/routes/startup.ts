import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import { startupOf } from '../../auth/scopes.js'
import type { Database } from '../../database/schema.js'
import { errorResponses, IdParameter, ref } from '../../kernel/schemas.js'
import { acceptAssignment, declineAssignment } from '../assignments.js'
import { listRequests, requestContact } from '../contact-requests.js'
import { listInbox, readInboxItem } from '../inbox.js'
import { ContactRequestQuery, InboxQuery, NotesBody, pageOf, pagination, ReasonBody, refused, RequestContactBody } from '../inputs.js'
import { ContactRequest, InboxItem, Pagination, Signal, SignalAssignment } from '../schemas.js'
import { startupIn } from './actors.js'

/** A startup's inbox, its answers and its contact requests (specification: Startup). */
export function startupRoutes (db: Kysely<Database>): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/startup/signals', { schema: inboxSchema }, async request => {
      const page = pageOf(request.query)
      const { items, total } = await listInbox(db, startupOf(request), request.query, page)
      return { items, pagination: pagination(page, total) }
    })

    app.get('/startup/signals/:signalId', { schema: readSchema }, async request =>
      await readInboxItem(db, startupOf(request), request.params.signalId))

    app.post('/startup/signals/:signalId/accept', { schema: acceptSchema }, async request => {
      const { assignment, signal } = await acceptAssignment(db, request.params.signalId, startupIn(request), request.body.notes)
      return { success: true as const, assignment, signal }
    })

    app.post('/startup/signals/:signalId/decline', { schema: declineSchema }, async request => {
      const { assignment, signal } = await declineAssignment(db, request.params.signalId, startupIn(request), request.body.reason)
      return { success: true as const, assignment, signal }
    })

    app.post('/startup/signals/:signalId/request-contact', { schema: requestContactSchema }, async (request, reply) => {
      const { contactRequest, signal } = await requestContact(db, request.params.signalId, startupIn(request), request.body)
      reply.code(201)
      return { success: true as const, contactRequest, signal }
    })

    app.get('/startup/contact-requests', { schema: requestsSchema }, async request => {
      const page = pageOf(request.query)
      const { items: contactRequests, total } = await listRequests(db, request.query, page, startupOf(request))
      return { contactRequests, pagination: pagination(page, total) }
    })
  }
}

const tags = ['Startup']
const params = Type.Object({ signalId: IdParameter })
const answerResponse = {
  200: Type.Object({ success: Type.Literal(true), assignment: ref(SignalAssignment), signal: ref(Signal) }, { description: 'The assignment and the signal after it.' }),
  ...errorResponses(400, 401, 403, 404, 413, 415),
  ...refused
}

const inboxSchema = {
  operationId: 'listInbox',
  summary: 'The startup\'s inbox',
  description: 'Its assignments with their signals, newest first; those not answered yet have `assignmentStatus=assigned`. A startup assigned ' +
    'again after declining has a row for each. Archived signals are listed only with `archived=true`, and then no others.',
  tags,
  querystring: InboxQuery,
  response: { 200: Type.Object({ items: Type.Array(ref(InboxItem)), pagination: ref(Pagination) }, { description: 'A page of the inbox.' }), ...errorResponses(400, 401, 403) }
}

const readSchema = {
  operationId: 'getInboxItem',
  summary: 'One signal as the startup sees it',
  description: 'With the startup\'s open or else latest assignment. 404 unless the signal is or was assigned to it, or is in the pool.',
  tags,
  params,
  response: { 200: ref(InboxItem, 'The signal, and the assignment if there is one.'), ...errorResponses(400, 401, 403, 404) }
}

const acceptSchema = {
  operationId: 'acceptAssignment',
  summary: 'Accept an assigned signal',
  description: 'The assignments of the other startups become `superseded`. Never assigned: 404; declined or superseded before: 409.',
  tags,
  params,
  body: NotesBody,
  response: answerResponse
}

const declineSchema = {
  operationId: 'declineAssignment',
  summary: 'Decline an assigned signal',
  description: 'The signal goes back to `signal_unassigned` when no other startup may still answer and it is not public. Never assigned: 404; after the acceptance: 409.',
  tags,
  params,
  body: ReasonBody,
  response: answerResponse
}

const requestContactSchema = {
  operationId: 'requestContact',
  summary: 'Request contact with the government',
  description: 'Only by the startup that accepted the signal (else 403), after the acceptance (else 409), with the source of its assignment (else 400). ' +
    'After a rejection it may request again; a signal has at most one pending request.',
  tags,
  params,
  body: RequestContactBody,
  response: {
    201: Type.Object({ success: Type.Literal(true), contactRequest: ref(ContactRequest), signal: ref(Signal) }, { description: 'The request waits for its review.' }),
    ...errorResponses(400, 401, 403, 404, 413, 415),
    ...refused
  }
}

const requestsSchema = {
  operationId: 'listOwnContactRequests',
  summary: 'The startup\'s own contact requests',
  description: 'Newest first. An unknown signal gives an empty list.',
  tags,
  querystring: ContactRequestQuery,
  response: { 200: Type.Object({ contactRequests: Type.Array(ref(ContactRequest)), pagination: ref(Pagination) }, { description: 'A page of contact requests.' }), ...errorResponses(400, 401, 403) }
}
