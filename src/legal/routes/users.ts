import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.js'
import { described, errorResponses, IdParameter, offsetPage, OffsetPaging, pageFields, ref, Success, Text } from '../../kernel/schemas.js'
import { listLog } from '../reports.js'
import { AcceptanceLogItem, DocumentTypeName, RegisterUserBody, User } from '../schemas.js'
import { listUsers, registerUser, removeUser } from '../users.js'

/** The acceptance log and the user records, for admins. */
export function legalUserAdminRoutes (db: Kysely<Database>): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/legal/admin/acceptances', { schema: logSchema }, async request => {
      const page = offsetPage(request.query)
      return { ...await listLog(db, request.query.type, page), ...page }
    })

    app.get('/legal/admin/users', { schema: listSchema }, async request => {
      const page = offsetPage(request.query)
      return { ...await listUsers(db, request.query.search, page), ...page }
    })

    app.put('/legal/admin/users/:id', { schema: registerSchema }, async request =>
      await registerUser(db, request.params.id, request.body))

    app.delete('/legal/admin/users/:id', { schema: removeSchema }, async request => {
      await removeUser(db, request.params.id)
      return { success: true as const }
    })
  }
}

const tags = ['Legal administration']

const logSchema = {
  operationId: 'listAcceptances',
  summary: 'The acceptance log',
  description: 'Newest first, with the exact total. Unknown texts are empty. Clients build CSV from it; the service offers none.',
  tags,
  querystring: Type.Object({ type: Type.Optional(described(DocumentTypeName, 'Of this type of document only.')), ...OffsetPaging }),
  response: {
    200: Type.Object({ acceptances: Type.Array(ref(AcceptanceLogItem)), ...pageFields }, { description: 'A page of the log.' }),
    ...errorResponses(400, 401, 403)
  }
}

const listSchema = {
  operationId: 'listUsers',
  summary: 'The users that the service knows',
  description: 'Newest first. `search` is a literal part of the e-mail or of a name, in any letter case.',
  tags,
  querystring: Type.Object({ search: Type.Optional(Text(0, 300, { description: 'A literal part of the e-mail or of a name, in any letter case.' })), ...OffsetPaging }),
  response: { 200: Type.Object({ users: Type.Array(ref(User)), ...pageFields }, { description: 'A page of users.' }), ...errorResponses(400, 401, 403) }
}

const registerSchema = {
  operationId: 'registerUser',
  summary: 'Register a user ahead of its first call',
  description: 'So that the analytics count the whole user base. Creates the record or changes the given fields; the user\'s own token refreshes it later. Two users may share an e-mail.',
  tags,
  params: Type.Object({ id: Text(1, 255, { description: 'Its id; one that is not known yet is made.' }) }),
  body: RegisterUserBody,
  response: { 200: ref(User, 'The user.'), ...errorResponses(400, 401, 403, 413, 415) }
}

const removeSchema = {
  operationId: 'removeUser',
  summary: 'Remove a user and its acceptances',
  description: 'A user whose token still works is created anew by its next call.',
  tags,
  params: Type.Object({ id: IdParameter }),
  response: { 200: ref(Success, 'The user and its acceptances are gone.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}
