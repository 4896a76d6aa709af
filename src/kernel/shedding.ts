import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { errorBody } from './errors.js'
import { readyAnswer, writeReady } from './ready.js'
import { newRequestId } from './request-id.js'
import { RestingConnections } from './resting.js'

export interface SheddingOptions {
  /** Whether a request that needs the database would be refused anyway. */
  isOverloaded (): boolean
  /** Whether connections are to be closed, so that clients go elsewhere. */
  isDraining (): boolean
  /** Beginnings of the paths that go on without the database. */
  readonly spared: readonly string[]
  /** Told of each request that was refused. */
  onShed (method: string): void
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request to this route, which has a queue of its own, would be refused anyway. */
    isOverloaded? (): boolean
  }
}

const tellEveryMs = 1000

const unavailable = readyAnswer(503, {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'retry-after': '1'
}, Buffer.from(JSON.stringify(errorBody(503, 'Service Unavailable'))))

/**
 * Under an overload answers 503 before anything else is done for a request. The event loop takes turns: for each round
 * of answers from the database it takes in every request that has come meanwhile. If refusing one cost what serving
 * one does, the rounds would grow long, and the throughput would fall to a few answers a round. For the same reason
 * those refused share a line of the log.
 */
export function setUpShedding (app: FastifyInstance, { isOverloaded, isDraining, spared, onShed }: SheddingOptions): void {
  const queues = new Map<string, { readonly methods: string[], isOverloaded (): boolean }>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.isOverloaded === undefined) return
    const methods = [queues.get(url)?.methods ?? [], method].flat()
    queues.set(url, { methods, isOverloaded: config.isOverloaded })
  })

  let refused = 0
  function tell (): void {
    app.log.info({ refused, ms: tellEveryMs }, 'overloaded')
    refused = 0
  }

  function isShed (method: string, url: string): boolean {
    if (isOverloaded()) return !spared.some(beginning => url.startsWith(beginning))
    const queue = queues.get(url)
    return queue !== undefined && queue.isOverloaded() && queue.methods.includes(method)
  }

  const resting = new RestingConnections()
  app.addHook('preClose', async () => { await resting.end() })

  const { server } = app
  const listeners = server.listeners('request') as Array<(request: IncomingMessage, response: ServerResponse) => void>
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { method = '', url = '' } = request
    if (isShed(method, url)) {
      if (refused++ === 0) setTimeout(tell, tellEveryMs).unref()
      onShed(method)
      resting.refused(request.socket)
      writeReady(response, unavailable, ['x-request-id', newRequestId(), ...(isDraining() ? ['connection', 'close'] : [])])
      return
    }
    for (const listener of listeners) listener(request, response)
  })
}
