import { SignJWT } from 'jose'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Test } from 'tap'
import { buildApp } from '../src/app.js'
import { loadConfig } from '../src/config.js'
import { createDatabase, type DatabaseClient } from '../src/database/client.js'
import { testServer } from './server.js'

export const secret = 'a secret of the tests, at least 32 bytes long'
export const adminEmail = 'admin@example.com'

/** The claims of a token; `exp` defaults to an hour from now. */
export type Claims = Record<string, unknown>

/** Signs an HS256 token that the test applications accept. */
export async function token (claims: Claims): Promise<string> {
  return await new SignJWT({ exp: Math.floor(Date.now() / 1000) + 3600, ...claims })
    .setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret))
}

/** Admin of both areas. */
export const adminClaims = { sub: 'admin-1', email: adminEmail, given_name: 'Ada', family_name: 'Admin', roles: ['admin'] }

/** Creates a migrated database of its own for a test and drops it afterwards; returns its URL. */
export async function testDatabase (t: Test): Promise<string> {
  const { url, template } = testServer()
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(url, `create database ${name} template ${template} strategy file_copy`)
  t.teardown(async () => { await administer(url, `drop database if exists ${name} with (force)`) })
  const database = new URL(url)
  database.pathname = `/${name}`
  return database.href
}

async function administer (url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** One request and what came of it; `json` is the parsed body. */
export interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: string
  readonly bytes: Buffer
  // The tests look into bodies of every shape and assert on what they find.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

/** A caller of the application: sends its token with each request. */
export interface Client {
  readonly token?: string
  get (url: string, headers?: Record<string, string>): Promise<Answer>
  post (url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  put (url: string, body?: unknown): Promise<Answer>
  patch (url: string, body?: unknown): Promise<Answer>
  delete (url: string): Promise<Answer>
  send (options: InjectOptions): Promise<Answer>
}

export interface TestApp {
  readonly app: FastifyInstance
  readonly database: DatabaseClient
  readonly url: string
  /** A caller with these claims, or without a token when there are none. */
  as (claims?: Claims): Promise<Client>
}

export interface TestAppOptions {
  readonly env?: Record<string, string>
  /** The database of another application, to share it. */
  readonly url?: string
  /** Takes each line of the log; `LOG_LEVEL` is silent unless given. */
  readonly log?: (line: string) => void
}

/** The real application on a database of its own, or on the given one when two instances share it. */
export async function testApp (t: Test, { env = {}, url, log }: TestAppOptions = {}): Promise<TestApp> {
  const databaseUrl = url ?? await testDatabase(t)
  const config = loadConfig({ DATABASE_URL: databaseUrl, JWT_SECRET: secret, ADMIN_EMAILS: adminEmail, LOG_LEVEL: 'silent', ...env })
  const database = createDatabase(config.database, () => {})
  const app = await buildApp({ config, database, ...(log !== undefined && { log: { write: log } }) })
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  await app.ready()
  return {
    app,
    database,
    url: databaseUrl,
    as: async claims => client(app, claims === undefined ? undefined : await token(claims))
  }
}

function client (app: FastifyInstance, bearer: string | undefined): Client {
  const send = async (options: InjectOptions): Promise<Answer> => {
    const response = await app.inject({
      ...options,
      headers: { ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }), ...options.headers }
    })
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.body,
      bytes: response.rawPayload,
      json: String(response.headers['content-type']).startsWith('application/json') && response.body !== '' ? response.json() : undefined
    }
  }
  const withBody = (method: 'POST' | 'PUT' | 'PATCH') => (url: string, body?: unknown, headers: Record<string, string> = {}) =>
    send({ method, url, headers, ...(body !== undefined && { payload: body as object }) })
  return {
    ...(bearer !== undefined && { token: bearer }),
    send,
    get: (url, headers = {}) => send({ method: 'GET', url, headers }),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: url => send({ method: 'DELETE', url })
  }
}
