import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Draining } from './errors.js'
import { errorResponses } from './schemas.js'

/** What readiness depends on. */
export interface Readiness {
  /** Throws when the database does not answer. */
  ping (): Promise<void>
  isDraining (): boolean
}

/** Liveness and readiness for load balancers and orchestrators (contract: Service routes). */
export function healthRoutes (readiness: Readiness): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/health/live', { schema: liveSchema }, async () => ({ status: 'live' as const }))

    app.get('/health/ready', { schema: readySchema }, async () => {
      if (readiness.isDraining()) throw new Draining('The instance drains')
      await readiness.ping()
      return { status: 'ready' as const }
    })
  }
}

const liveSchema = {
  operationId: 'getLiveness',
  summary: 'Whether the process runs',
  description: '200 while it does, with or without its database.',
  tags: ['Service'],
  security: [],
  response: { 200: Type.Object({ status: Type.Literal('live') }, { description: 'It runs.', examples: [{ status: 'live' }] }), ...errorResponses() }
}

const readySchema = {
  operationId: 'getReadiness',
  summary: 'Whether the instance should get requests',
  description: '200 when a query through the pool answers; 503 otherwise, and while the instance drains.',
  tags: ['Service'],
  security: [],
  response: { 200: Type.Object({ status: Type.Literal('ready') }, { description: 'It takes requests.', examples: [{ status: 'ready' }] }), ...errorResponses() }
}
