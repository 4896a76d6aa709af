import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../database/errors.js'
import { logFailure } from './logging.js'
import { Refusal, type RefusalKind } from './refusal.js'
import { securityHeaders } from './security-headers.js'

/** The identity provider's keys cannot be had right now: 503, never 500 (contract: Callers). */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** The instance is on its way out, as it was told to be: 503, and nothing to log. */
export class Draining extends Error {
  override readonly name = 'Draining'
}

const retryAfterSeconds = 1

const statusOf: Record<RefusalKind, number> = { invalid: 400, unauthorized: 401, forbidden: 403, 'not-found': 404, conflict: 409 }

const plainMessages: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large',
  FST_ERR_CTP_INVALID_JSON_BODY: 'body must be valid JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body does not have the length of its Content-Length',
  FST_ERR_BAD_URL: 'The path cannot be decoded'
}

interface ErrorAnswer {
  readonly status: number
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** One path for every error: the body has exactly statusCode, error and message, plus a refusal's details. */
export async function setUpErrors (app: FastifyInstance): Promise<void> {
  app.setErrorHandler(sendError)
  const sendNotFound = (reply: FastifyReply) => send(reply, { status: 404, message: 'Route not found' })
  // In a place of its own, so that the hook is run for unknown routes alone.
  await app.register(async unknown => {
    // Before the body is looked at, which may lack what its method demands.
    unknown.addHook('onRequest', (_request, reply) => { sendNotFound(reply) })
    unknown.setNotFoundHandler((_request, reply) => sendNotFound(reply))
  })
}

/** Answers an error and logs the trouble that is ours; also serves Fastify's own errors before routing. */
export function sendError (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = toAnswer(error)
  if (answer.status >= 500 && !(error instanceof Draining)) logFailure(error, request)
  return send(reply, answer)
}

function toAnswer (error: FastifyError | Error): ErrorAnswer {
  if (error instanceof Refusal) return { status: statusOf[error.kind], message: error.message, details: error.details }
  if (error instanceof Draining || error instanceof KeysUnavailable || isUnavailable(error)) {
    return { status: 503, message: 'Service Unavailable' }
  }
  const { statusCode, code, validation } = error as Partial<FastifyError>
  if (validation !== undefined) return { status: 400, message: error.message }
  if (statusCode === 503) return { status: 503, message: 'Service Unavailable' }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    if (error instanceof SyntaxError) return { status: 400, message: 'body must be valid JSON' }
    return { status: statusCode, message: plainMessages[code ?? ''] ?? error.message }
  }
  return { status: 500, message: 'Internal Server Error' }
}

/** What every error's body says (specification: Errors). */
export function errorBody (status: number, message: string): { statusCode: number, error: string, message: string } {
  return { statusCode: status, error: STATUS_CODES[status] ?? 'Error', message }
}

function send (reply: FastifyReply, { status, message, details }: ErrorAnswer): FastifyReply {
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (status === 503) reply.header('retry-after', String(retryAfterSeconds))
  // No hook set them for what failed before routing, and for routes whose own answers bring them along.
  reply.headers(securityHeaders).header('x-request-id', reply.request.id)
  // An error is never what a cache should keep for the resource.
  return reply.removeHeader('etag').header('cache-control', 'no-store')
    .code(status).send({ ...errorBody(status, message), ...details })
}
