import type { FastifyRequest } from 'fastify'
import { startupOf } from '../../auth/scopes.js'
import type { StartupActor } from '../assignments.js'
import type { Actor } from '../transition.js'

/** The admin who acts, in a route of the admin scope. */
export function adminIn (request: FastifyRequest): Actor {
  return { userId: request.caller.userId }
}

/** The startup that acts, in a route of the startup scope. */
export function startupIn (request: FastifyRequest): StartupActor {
  return { userId: request.caller.userId, startupId: startupOf(request) }
}
