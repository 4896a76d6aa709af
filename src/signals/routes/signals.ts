import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.js'
import { errorResponses, IdParameter, ref } from '../../kernel/schemas.js'
import { CreateSignalBody, EditSignalBody, pageOf, pagination, SignalListQuery } from '../inputs.js'
import { Pagination, Signal, SignalDetail, StatusHistoryEntry } from '../schemas.js'
import { createSignal, editSignal, listSignals, readHistory, readSignal } from '../signals.js'
import { adminIn } from './actors.js'

/** Signals themselves, for admins: create, list, read, edit, history. */
export function signalRoutes (db: Kysely<Database>): FastifyPluginAsyncTypebox {
  return async app => {
    app.post('/govintel/signals', { schema: createSchema }, async (request, reply) => {
      const signal = await createSignal(db, adminIn(request), request.body)
      reply.code(201)
      return signal
    })

    app.get('/govintel/signals', { schema: listSchema }, async request => {
      const page = pageOf(request.query)
      const { items: signals, total } = await listSignals(db, request.query, page)
      return { signals, pagination: pagination(page, total) }
    })

    app.get('/govintel/signals/:id', { schema: readSchema }, async request => await readSignal(db, request.params.id))

    app.patch('/govintel/signals/:id', { schema: editSchema }, async request =>
      await editSignal(db, request.params.id, request.body))

    app.get('/govintel/signals/:id/status-history', { schema: historySchema }, async request =>
      await readHistory(db, request.params.id))
  }
}

const tags = ['Signals']
const params = Type.Object({ id: IdParameter })

const createSchema = {
  operationId: 'createSignal',
  summary: 'Create a signal',
  description: 'It begins as `signal_unassigned`. An unknown government or contact is 400; the contact may be one of another government.',
  tags,
  body: CreateSignalBody,
  response: {
    201: ref(Signal, 'The signal.'),
    ...errorResponses(400, 401, 403, 413, 415)
  }
}

const listSchema = {
  operationId: 'listSignals',
  summary: 'All signals',
  description: 'Newest first. Archived signals are left out unless `isArchived=true` or `status=archived` asks for them.',
  tags,
  querystring: SignalListQuery,
  response: { 200: Type.Object({ signals: Type.Array(ref(Signal)), pagination: ref(Pagination) }, { description: 'A page of signals.' }), ...errorResponses(400, 401, 403) }
}

const readSchema = {
  operationId: 'getSignal',
  summary: 'One signal with all that hangs on it',
  description: 'With its assignments, contact requests and connections, oldest first, and the actions that its state allows.',
  tags,
  params,
  response: { 200: ref(SignalDetail, 'The signal with all that belongs to it.'), ...errorResponses(400, 401, 403, 404) }
}

const editSchema = {
  operationId: 'editSignal',
  summary: 'Edit a signal\'s descriptive fields and `isActive`',
  description: 'What is absent stays. An inactive signal is not in the pool, whatever `isPublic` says. The status moves by actions alone.',
  tags,
  params,
  body: EditSignalBody,
  response: { 200: ref(SignalDetail, 'The signal with all that belongs to it.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}

const historySchema = {
  operationId: 'getStatusHistory',
  summary: 'Everything that happened to a signal',
  description: 'Oldest first, in the order in which it happened. An action that keeps the status has its row too; `notes` is whatever ' +
    'free text came with it; `startupId` is the startup that acted, or whose contact request was reviewed.',
  tags,
  params,
  response: { 200: Type.Array(ref(StatusHistoryEntry), { description: 'The history, oldest first.' }), ...errorResponses(400, 401, 403, 404) }
}
