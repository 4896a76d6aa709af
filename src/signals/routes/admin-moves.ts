import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.js'
import { errorResponses, IdParameter, ref } from '../../kernel/schemas.js'
import { assignSignal } from '../assignments.js'
import { AssignBody, EmptyBody, NotesBody, PublishBody, refused } from '../inputs.js'
import { archiveSignal, publishSignal, unpublishSignal } from '../lifecycle.js'
import { Signal, SignalAssignment } from '../schemas.js'
import { adminIn } from './actors.js'

/** What admins do with a signal (specification: Admin). */
export function adminMoveRoutes (db: Kysely<Database>): FastifyPluginAsyncTypebox {
  return async app => {
    app.post('/govintel/signals/:id/assign', { schema: assignSchema }, async request => {
      const { signal, assignments } = await assignSignal(db, request.params.id, adminIn(request), request.body)
      return { success: true as const, signal, assignments }
    })

    app.post('/govintel/signals/:id/publish', { schema: publishSchema }, async request => {
      const signal = await publishSignal(db, request.params.id, adminIn(request), request.body)
      return { success: true as const, signal }
    })

    app.post('/govintel/signals/:id/unpublish', { schema: unpublishSchema }, async request => {
      const signal = await unpublishSignal(db, request.params.id, adminIn(request))
      return { success: true as const, signal }
    })

    app.post('/govintel/signals/:id/archive', { schema: archiveSchema }, async request => {
      const signal = await archiveSignal(db, 'archive', request.params.id, adminIn(request), request.body.notes)
      return { success: true as const, signal }
    })

    app.post('/govintel/signals/:id/unarchive', { schema: unarchiveSchema }, async request => {
      const signal = await archiveSignal(db, 'unarchive', request.params.id, adminIn(request), request.body.notes)
      return { success: true as const, signal }
    })
  }
}

const tags = ['Signals']
const params = Type.Object({ id: IdParameter })
const response = {
  200: Type.Object({ success: Type.Literal(true), signal: ref(Signal) }, { description: 'The signal after it.' }),
  ...errorResponses(400, 401, 403, 404, 413, 415),
  ...refused
}

const assignSchema = {
  operationId: 'assignSignal',
  summary: 'Assign a signal to startups',
  description: 'Only from `signal_unassigned`. Each startup gets one direct assignment and finds it in its inbox. An unknown startup is 400 and nothing is created.',
  tags,
  params,
  body: AssignBody,
  response: {
    ...response,
    200: Type.Object({ success: Type.Literal(true), signal: ref(Signal), assignments: Type.Array(ref(SignalAssignment)) }, { description: 'The signal after it, and the new assignments.' })
  }
}

const publishSchema = {
  operationId: 'publishSignal',
  summary: 'Publish a signal to the pool',
  description: 'Only from `signal_unassigned`. A `visibilityLevel` replaces the signal\'s; the body may be empty.',
  tags,
  params,
  body: PublishBody,
  response
}

const unpublishSchema = {
  operationId: 'unpublishSignal',
  summary: 'Take a signal out of the pool',
  description: 'A signal that nobody took up goes back to `signal_unassigned`; later statuses stay. Not public, or archived: 409. `publishedAt` keeps the time of the last publication.',
  tags,
  params,
  body: EmptyBody,
  response
}

const archiveSchema = {
  operationId: 'archiveSignal',
  summary: 'Archive a signal',
  description: 'From any status, which is remembered; `isPublic` is kept, but nothing archived is in the pool. Twice is 409.',
  tags,
  params,
  body: NotesBody,
  response
}

const unarchiveSchema = {
  operationId: 'unarchiveSignal',
  summary: 'Bring a signal back from the archive',
  description: 'To exactly the status it had. Not archived: 409.',
  tags,
  params,
  body: NotesBody,
  response
}
