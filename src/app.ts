import fastifyCors from '@fastify/cors'
import fastifySensible from '@fastify/sensible'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { createScopes } from './auth/scopes.js'
import { setUpTokens } from './auth/tokens.js'
import { callerRecorder } from './auth/users.js'
import type { Config } from './config.js'
import type { DatabaseClient } from './database/client.js'
import { setUpDeadline } from './kernel/deadline.js'
import { sendError, setUpErrors } from './kernel/errors.js'
import { healthRoutes } from './kernel/health.js'
import { createLogger } from './kernel/logging.js'
import type { Metrics } from './kernel/metrics.js'
import { setUpOpenApi } from './kernel/openapi.js'
import { answerClientError, headFault, setUpProtocol } from './kernel/protocol.js'
import { requestIdOf } from './kernel/request-id.js'
import { type LogDestination, RequestLog } from './kernel/request-log.js'
import { ErrorBody, Success } from './kernel/schemas.js'
import { securityHeaders } from './kernel/security-headers.js'
import { sharedSerializers } from './kernel/serializers.js'
import type { Tracing } from './kernel/tracing.js'
import { setUpShedding } from './kernel/shedding.js'
import { ajvOptions, describeFailure, setUpBodyParser, setUpInput } from './kernel/validation.js'
import { CurrentDocuments } from './legal/current.js'
import { legalDocumentRoutes } from './legal/routes/documents.js'
import { legalPublicRoutes } from './legal/routes/public.js'
import { legalUserRoutes } from './legal/routes/user.js'
import { legalUserAdminRoutes } from './legal/routes/users.js'
import { legalComponents } from './legal/schemas.js'
import { startSealing } from './legal/seal.js'
import { startupDirectory } from './signals/reference.js'
import { statesPicture } from './signals/picture.js'
import { adminMoveRoutes } from './signals/routes/admin-moves.js'
import { connectionRoutes, contactRequestRoutes } from './signals/routes/contact-requests.js'
import { poolRoutes } from './signals/routes/pool.js'
import { referenceRoutes } from './signals/routes/reference.js'
import { signalRoutes } from './signals/routes/signals.js'
import { startupRoutes } from './signals/routes/startup.js'
import { signalComponents } from './signals/schemas.js'

export interface AppOptions {
  readonly config: Config
  readonly database: DatabaseClient
  /** Standard output, line by line, when absent. */
  readonly log?: LogDestination
  readonly metrics?: Metrics
  readonly tracing?: Tracing
}

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on readiness says 503 and answers ask for their connection to be closed. */
    drain (): void
  }
}

/** Of every route but those that take a legal text: signals' descriptions in escapes and the longest lists of ids fit. */
const bodyLimit = 1024 * 1024

/**
 * Assembles the whole service; tests build exactly this. The caller owns `database` and closes it after the app.
 * Nothing is listened on and no connection is opened yet.
 */
export async function buildApp ({ config, database, log = process.stdout, metrics, tracing }: AppOptions): Promise<FastifyInstance> {
  let draining = false
  const requestLog = new RequestLog(config.logLevel, log)
  const app = Fastify({
    loggerInstance: createLogger(config.logLevel, log) as FastifyBaseLogger,
    logController: requestLog,
    trustProxy: config.trustProxy.length === 0 ? false : [...config.trustProxy],
    bodyLimit,
    ajv: ajvOptions,
    schemaController: { compilersFactory: { buildSerializer: sharedSerializers() } },
    schemaErrorFormatter: describeFailure,
    frameworkErrors (error, request, reply) {
      // No hook runs for a path that cannot be decoded.
      reply.raw.once('finish', () => {
        requestLog.requestCompleted(null, request, reply)
        metrics?.answered(request, reply)
      })
      if (draining) reply.header('connection', 'close')
      sendError(error, request, reply)
    },
    clientErrorHandler: answerClientError,
    http: {
      // Node's own refusal has no body.
      requireHostHeader: false,
      maxHeaderSize: 16 * 1024,
      headersTimeout: 20_000,
      // How often Node looks for requests that take too long to arrive.
      connectionsCheckingInterval: 5000
    },
    genReqId: requestIdOf,
    // As long as Node lets a path be: an id that is too long is an unknown id, and no route has a pattern to exhaust.
    routerOptions: { maxParamLength: 16 * 1024 },
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    // Longer than the idle time of usual balancers, so that it is they who close idle connections.
    keepAliveTimeout: 75_000,
    // While closing, requests on kept-alive connections are still answered.
    return503OnClosing: false,
    // On a busy machine the documentation page alone may take longer to load than the usual 10 s.
    pluginTimeout: 60_000
  })

  if (tracing !== undefined) await app.register(tracing.plugin)
  app.decorate('drain', () => { draining = true })
  app.addHook('onRequest', (request, reply, done) => {
    if (request.sendsReady !== true) reply.headers(securityHeaders)
    reply.header('x-request-id', request.id)
    if (draining) reply.header('connection', 'close')
    done(headFault(request.raw))
  })

  // Node closes the connections that are idle when the listener closes, but not those that become idle after that.
  app.addHook('preClose', async () => {
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50).unref()
    app.server.once('close', () => clearInterval(sweep))
  })

  setUpShedding(app, {
    isOverloaded: () => database.pool.isOverloaded,
    isDraining: () => draining,
    spared: ['/health/', ...['/legal/current/', '/openapi.json', '/documentation'].map(path => config.basePath + path)],
    onShed: method => metrics?.shed(method)
  })
  setUpProtocol(app)
  setUpDeadline(app)
  if (metrics !== undefined) {
    app.addHook('onResponse', (request, reply, done) => {
      metrics.answered(request, reply)
      done()
    })
  }

  await app.register(fastifySensible)
  if (config.corsOrigins.length > 0) {
    await app.register(fastifyCors, {
      origin: [...config.corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['etag', 'retry-after', 'x-request-id']
    })
  }
  await setUpErrors(app)
  setUpBodyParser(app)
  setUpInput(app)
  await setUpOpenApi(app, { basePath: config.basePath, statesPicture: statesPicture() })
  for (const schema of [ErrorBody, Success, ...legalComponents, ...signalComponents]) app.addSchema(schema)
  await app.register(healthRoutes({ ping: () => database.ping(), isDraining: () => draining }))

  const { db } = database
  const current = new CurrentDocuments({
    db,
    databaseUrl: config.database.url,
    onTrouble: error => app.log.warn({ err: error }, 'not listening for publishes')
  })
  let stopSealing: (() => Promise<void>) | undefined
  app.addHook('onReady', async () => {
    current.start()
    stopSealing = startSealing(db, error => app.log.error({ err: error }, 'sealing the acceptance log failed'))
  })
  app.addHook('onClose', async () => {
    await Promise.all([current.stop(), stopSealing?.()])
  })

  const authenticate = await setUpTokens(app, config.tokens)
  await app.register(async area => {
    const recordCaller = callerRecorder(db)
    const scopes = createScopes(area, { authenticate, recordCaller, isKnownStartup: startupDirectory(db) })
    scopes.public(legalPublicRoutes(db, current))
    scopes.user(legalUserRoutes(db, recordCaller))
    scopes.legalAdmin(legalDocumentRoutes(db, current))
    scopes.legalAdmin(legalUserAdminRoutes(db))
    scopes.signalAdmin(referenceRoutes(db))
    scopes.signalAdmin(signalRoutes(db))
    scopes.signalAdmin(adminMoveRoutes(db))
    scopes.signalAdmin(contactRequestRoutes(db))
    scopes.startup(poolRoutes(db))
    scopes.startup(startupRoutes(db))
    scopes.signalAdminOrStartup(connectionRoutes(db))
  }, { prefix: config.basePath })

  return app
}
