import type { FastifyReply } from 'fastify'
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

/**
 * Sends past Fastify, which would copy and look through the headers of each answer anew; those that were set for this
 * reply are sent as well. Node itself leaves out the body where the method is HEAD.
 */
export function sendReady (reply: FastifyReply, { status, head, body }: ReadyAnswer): void {
  const headers = head.slice()
  const own = reply.getHeaders() as Record<string, string>
  for (const name in own) headers.push(name, own[name] as string)
  reply.hijack().raw.writeHead(status, headers).end(body)
}
