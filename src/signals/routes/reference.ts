import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.js'
import { errorResponses, IdParameter, ref } from '../../kernel/schemas.js'
import { GovernmentContactBody, NameBody, pageOf, PageQuery, pagination } from '../inputs.js'
import {
  listGovernmentContacts, listGovernments, listStartups, putGovernment, putGovernmentContact, putStartup
} from '../reference.js'
import { Government, GovernmentContact, Pagination, Startup } from '../schemas.js'

/** Startups, governments and their contacts under the platform's own ids, for admins. */
export function referenceRoutes (db: Kysely<Database>): FastifyPluginAsyncTypebox {
  return async app => {
    app.put('/govintel/startups/:id', { schema: putStartupSchema }, async request =>
      await putStartup(db, request.params.id, request.body))

    app.get('/govintel/startups', { schema: listStartupsSchema }, async request => {
      const page = pageOf(request.query)
      const { items: startups, total } = await listStartups(db, page)
      return { startups, pagination: pagination(page, total) }
    })

    app.put('/govintel/governments/:id', { schema: putGovernmentSchema }, async request =>
      await putGovernment(db, request.params.id, request.body))

    app.get('/govintel/governments', { schema: listGovernmentsSchema }, async request => {
      const page = pageOf(request.query)
      const { items: governments, total } = await listGovernments(db, page)
      return { governments, pagination: pagination(page, total) }
    })

    app.put('/govintel/government-contacts/:id', { schema: putContactSchema }, async request =>
      await putGovernmentContact(db, request.params.id, request.body))

    app.get('/govintel/government-contacts', { schema: listContactsSchema }, async request => {
      const page = pageOf(request.query)
      const { items: governmentContacts, total } = await listGovernmentContacts(db, page)
      return { governmentContacts, pagination: pagination(page, total) }
    })
  }
}

const tags = ['Reference data']
const params = Type.Object({ id: IdParameter })
const idRule = 'The id is the platform\'s own: 1-128 of `A-Z a-z 0-9 . _ : -`; any other is 404.'

const putStartupSchema = {
  operationId: 'putStartup',
  summary: 'Register or rename a startup',
  description: `${idRule} Callers whose token names it in the startup claim then act for it.`,
  tags,
  params,
  body: NameBody,
  response: { 200: ref(Startup, 'The startup.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}

const listStartupsSchema = {
  operationId: 'listStartups',
  summary: 'The startups',
  description: 'In the order of their names, page by page.',
  tags,
  querystring: PageQuery,
  response: { 200: Type.Object({ startups: Type.Array(ref(Startup)), pagination: ref(Pagination) }, { description: 'A page of startups.' }), ...errorResponses(400, 401, 403) }
}

const putGovernmentSchema = {
  operationId: 'putGovernment',
  summary: 'Register or rename a government',
  description: idRule,
  tags,
  params,
  body: NameBody,
  response: { 200: ref(Government, 'The government.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}

const listGovernmentsSchema = {
  operationId: 'listGovernments',
  summary: 'The governments',
  description: 'In the order of their names, page by page.',
  tags,
  querystring: PageQuery,
  response: { 200: Type.Object({ governments: Type.Array(ref(Government)), pagination: ref(Pagination) }, { description: 'A page of governments.' }), ...errorResponses(400, 401, 403) }
}

const putContactSchema = {
  operationId: 'putGovernmentContact',
  summary: 'Register or replace a contact of a government',
  description: `${idRule} An e-mail or role that is left out is removed. An unknown government is 400.`,
  tags,
  params,
  body: GovernmentContactBody,
  response: { 200: ref(GovernmentContact, 'The contact.'), ...errorResponses(400, 401, 403, 404, 413, 415) }
}

const listContactsSchema = {
  operationId: 'listGovernmentContacts',
  summary: 'The contacts of governments',
  description: 'In the order of their names, page by page.',
  tags,
  querystring: PageQuery,
  response: {
    200: Type.Object({ governmentContacts: Type.Array(ref(GovernmentContact)), pagination: ref(Pagination) }, { description: 'A page of contacts.' }),
    ...errorResponses(400, 401, 403)
  }
}
