import type { FastifyReply } from 'fastify'
import type { ServerResponse } from 'node:http'
import { securityHeaders } from './security-headers.js'

/** An answer that is the same for everybody: made once, sent often. */
export interface ReadyAnswer {
  readonly status: number
  /** Names and values in turn, the form that costs the least to send. */
  readonly head: readonly string[]
  readonly body: Buffer | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of routes whose answers bring the security headers along. Set by decorating the routes' plugin. */
    readonly sendsReady?: true
  }
}

/** The security headers are added; with a body its length, too. */
export function readyAnswer (status: number, headers: Readonly<Record<string, string>>, body?: Buffer): ReadyAnswer {
  const length = body === undefined ? {} : { 'content-length': String(body.length) }
  return { status, head: Object.entries({ ...securityHeaders, ...headers, ...length }).flat(), body }
}

/** Sends to a request that Fastify never sees; `own` are the headers of this answer alone, in turn. */
export function writeReady (response: ServerResponse, { status, head, body }: ReadyAnswer, own: readonly string[]): void {
  response.writeHead(status, [...head, ...own]).end(body)
}

/**
 * Sends past Fastify, which would copy and look through the headers of each answer anew; those that were set for this
 * reply are sent as well. Node itself leaves out the body where the method is HEAD.
 */
export function sendReady (reply: FastifyReply, answer: ReadyAnswer): void {
  const headers = reply.getHeaders() as Record<string, string>
  const own: string[] = []
  for (const name in headers) own.push(name, headers[name] as string)
  writeReady(reply.hijack().raw, answer, own)
}
