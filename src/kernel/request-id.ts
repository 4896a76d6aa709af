import { randomInt, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** All but the last group of a random UUID: unique to this process. */
const beginning = randomUUID().slice(0, 24)
let next = randomInt(2 ** 40)

/**
 * A request id in the form of a UUID, unique over all instances: a random UUID for the process and a count for the
 * request. A random one for each request would cost as much as routing it does.
 */
export function newRequestId (): string {
  return beginning + (next++).toString(16).padStart(12, '0')
}

/** A caller's own request id when it is one that logs and headers can carry, or else a new one. */
export function requestIdOf ({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newRequestId()
}
