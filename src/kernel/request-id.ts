import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Tells this process from every other one. */
const beginning = `${randomBytes(9).toString('base64url')}-`
let last = 0

/**
 * A request id that no other instance gives: a random text for the process and a count for the request. It is made for
 * each request, and short: a random UUID would cost as much as finding the route does.
 */
export function newRequestId (): string {
  return beginning + (++last).toString(36)
}

/** A caller's own request id when it is one that logs and headers can carry, or else a new one. */
export function requestIdOf ({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newRequestId()
}
