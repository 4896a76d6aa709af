import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/refusal.js'
import type { Caller } from './caller.js'
import type { Authenticate } from './tokens.js'
import type { RecordCaller } from './users.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by every scope but the public one, before the body is read. */
    caller: Caller
  }
}

/** The access levels. Where a route is registered is who may call it; handlers decide nothing of the kind. */
export interface Scopes {
  /** Anybody; a token, good or bad, counts for nothing. */
  public (routes: FastifyPluginAsync): void
  /** Any valid token. These routes keep the user record themselves, in the statement that they need anyway. */
  user (routes: FastifyPluginAsync): void
  /** E-mail on the allow-list. */
  legalAdmin (routes: FastifyPluginAsync): void
  /** Role `admin`. */
  signalAdmin (routes: FastifyPluginAsync): void
  /** A startup claim that the platform knows. */
  startup (routes: FastifyPluginAsync): void
  /** Role `admin`, or else a known startup: `startupOf` tells which. */
  signalAdminOrStartup (routes: FastifyPluginAsync): void
}

export interface ScopeOptions {
  readonly authenticate: Authenticate
  readonly recordCaller: RecordCaller
  isKnownStartup (id: string): Promise<boolean>
}

/** No promise when nothing has to be waited for: a token that is known by now costs no more than a look-up. */
type Guard = (request: FastifyRequest) => Promise<void> | undefined

/** Makes the scopes of one application (specification: Authentication; contract: Everywhere, 401 and 403). */
export function createScopes (app: FastifyInstance, { authenticate, recordCaller, isKnownStartup }: ScopeOptions): Scopes {
  app.decorateRequest('caller')

  const requireUser: Guard = request => {
    const caller = authenticate(request)
    if (caller instanceof Promise) return caller.then(verified => { request.caller = verified })
    request.caller = caller
  }
  const requireAdmin = (isAdmin: (caller: Caller) => boolean): Guard => async request => {
    await requireUser(request)
    await recordCaller(request.caller)
    if (!isAdmin(request.caller)) throw new Refusal('forbidden', 'Admin access required')
  }
  const requireStartup: Guard = async request => {
    await requireUser(request)
    const { startupId } = request.caller
    const [known] = await Promise.all([
      startupId === undefined ? false : isKnownStartup(startupId),
      recordCaller(request.caller)
    ])
    if (!known) throw new Refusal('forbidden', 'No startup is associated with this account')
  }
  const requireSignalAdmin = requireAdmin(caller => caller.isSignalAdmin)
  const requireLegalAdmin = requireAdmin(caller => caller.isLegalAdmin)

  function open (guard: Guard | undefined, routes: FastifyPluginAsync): void {
    app.register(async scope => {
      if (guard !== undefined) {
        scope.addHook('onRequest', (request, _reply, done) => {
          const waiting = guard(request)
          if (waiting === undefined) done()
          else waiting.then(() => { done() }, done)
        })
      }
      scope.addHook('onRoute', route => {
        route.schema = { security: guard === undefined ? [] : [{ bearer: [] }], ...route.schema }
      })
      await scope.register(routes)
    })
  }

  return {
    public: routes => open(undefined, routes),
    user: routes => open(requireUser, routes),
    legalAdmin: routes => open(requireLegalAdmin, routes),
    signalAdmin: routes => open(requireSignalAdmin, routes),
    startup: routes => open(requireStartup, routes),
    signalAdminOrStartup: routes => open(async request => {
      await requireUser(request)
      if (!request.caller.isSignalAdmin) return await requireStartup(request)
      await recordCaller(request.caller)
    }, routes)
  }
}

/** The startup that a caller of the startup scope acts for. */
export function startupOf (request: FastifyRequest): string {
  const { startupId } = request.caller
  if (startupId === undefined) throw new Error('startupOf was called outside the startup scope')
  return startupId
}
