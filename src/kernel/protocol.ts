import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { errorBody } from './errors.js'
import { Refusal } from './refusal.js'
import { newRequestId } from './request-id.js'
import { securityHeaders } from './security-headers.js'

/**
 * What makes the head of a request ambiguous, as a refusal (400): Node keeps the first of two headers and says nothing,
 * so that a proxy might have checked the other one. Of HTTP/1.1 a Host is required.
 */
export function headFault ({ rawHeaders, httpVersionMinor }: IncomingMessage): Refusal | undefined {
  let hosts = 0
  let authorizations = 0
  let types = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4) {
      if (name.toLowerCase() === 'host') hosts++
    } else if (name.length === 12) {
      if (name.toLowerCase() === 'content-type') types++
    } else if (name.length === 13) {
      if (name.toLowerCase() === 'authorization') authorizations++
    }
  }
  if (authorizations > 1) return new Refusal('invalid', 'headers.authorization must be given once')
  if (types > 1) return new Refusal('invalid', 'headers.content-type must be given once')
  if (hosts > 1) return new Refusal('invalid', 'headers.host must be given once')
  if (hosts === 0 && httpVersionMinor > 0) return new Refusal('invalid', 'headers.host is required')
  return undefined
}

/** Gives what Node would refuse on its own, without a body, the same form as every other error. */
export function setUpProtocol (app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request, response: ServerResponse) => {
    const { headers, body } = errorAnswer(417, 'headers.expect must be 100-continue')
    logRefusal(app, 417)
    response.writeHead(417, headers).end(body)
  })
  app.server.on('connect', (_request, socket: Socket) => {
    logRefusal(app, 404)
    sendOver(socket, 404, 'Route not found')
  })
}

/** Fastify's `clientErrorHandler`: answers bytes that are no request, and closes their connection. */
export function answerClientError (this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  const { status, message } = clientErrors[error.code ?? ''] ?? invalidHttp
  // Node has no public way to ask for the request coming in and the answer that is due, and looks at these itself.
  const { _httpMessage: due, parser } = socket as HttpSocket
  const isAnswered = due == null && parser?.incoming?.complete === false
  // Behind a whole request, or one that has its answer, this one would be taken for another's.
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered || due?.headersSent === true || due?.req.complete === true) {
    socket.destroy(error)
    return
  }
  // A request whose body breaks off has a line of its own, as one that was aborted.
  if (due == null) logRefusal(this, status, error.code)
  sendOver(socket, status, message)
}

type HttpSocket = Socket & {
  readonly _httpMessage?: ServerResponse | null
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null
}

interface ClientError {
  readonly status: number
  readonly message: string
}

const invalidHttp: ClientError = { status: 400, message: 'The request is not valid HTTP' }

const clientErrors: Readonly<Record<string, ClientError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The head of the request is too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The body is too large' }
}

function sendOver (socket: Socket, status: number, message: string): void {
  const { headers, body } = errorAnswer(status, message)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => { socket.destroy() })
}

function errorAnswer (status: number, message: string): { headers: Record<string, string>, body: string } {
  const body = JSON.stringify(errorBody(status, message))
  return {
    headers: {
      ...securityHeaders,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-request-id': newRequestId(),
      connection: 'close'
    },
    body
  }
}

function logRefusal (app: FastifyInstance, status: number, code?: string): void {
  app.log.info({ status, outcome: 'refused', ...(code !== undefined && { code }) }, 'request')
}
