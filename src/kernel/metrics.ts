import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What the figures of the pool are read from. */
export interface PoolUsage {
  readonly usage: { readonly total: number, readonly idle: number, readonly waiting: number }
}

/** The figures of one process. */
export interface Metrics {
  readonly registry: Registry
  /** Counts a request once it is answered. */
  answered (request: FastifyRequest, reply: FastifyReply): void
  /** Counts a request that an overload refused before it had a route. */
  shed (method: string): void
}

/** Text for Prometheus, of one process or of all workers together. */
export interface MetricsSource {
  readonly contentType: string
  read (): Promise<string>
}

/** Calls that move a signal, by method and path without the base path. */
const transitions: Readonly<Record<string, string>> = {
  'POST /govintel/signals': 'create',
  'POST /govintel/signals/:id/assign': 'assign',
  'POST /govintel/signals/:id/publish': 'publish',
  'POST /govintel/signals/:id/unpublish': 'unpublish',
  'POST /govintel/signals/:id/archive': 'archive',
  'POST /govintel/signals/:id/unarchive': 'unarchive',
  'POST /signal-pool/:signalId/accept': 'pool_accept',
  'POST /startup/signals/:signalId/accept': 'accept',
  'POST /startup/signals/:signalId/decline': 'decline',
  'POST /startup/signals/:signalId/request-contact': 'request_contact',
  'POST /contact-requests/:id/approve': 'approve_contact',
  'POST /contact-requests/:id/reject': 'reject_contact'
}

const refusalKinds: Readonly<Record<number, string>> = {
  400: 'invalid', 401: 'unauthorized', 403: 'forbidden', 404: 'not-found', 409: 'conflict', 413: 'too-large', 415: 'media-type'
}

/** Seconds; from an answer out of memory to the bound that the contract sets for trouble of ours. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Collects requests by route, method and status, their latency, the use of the pool, the process, and what the domain
 * did. One registry for each call, so that several applications of one process do not mix.
 */
export function createMetrics (pool: PoolUsage, basePath: string): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'http_requests_total', help: 'Requests answered', labelNames: ['method', 'route', 'status'], registers
  })
  const latency = new Histogram({
    name: 'http_request_duration_seconds', help: 'Time to answer', labelNames: ['method', 'route'], buckets, registers
  })
  const acceptances = new Counter({
    name: 'legal_acceptances_total', help: 'Accept calls that succeeded, by whether they made the record', labelNames: ['result'], registers
  })
  const publishes = new Counter({ name: 'legal_publishes_total', help: 'Documents published', registers })
  const moves = new Counter({ name: 'signal_transitions_total', help: 'Transitions of signals', labelNames: ['action'], registers })
  const refusals = new Counter({ name: 'refusals_total', help: 'Requests refused, by kind', labelNames: ['kind'], registers })
  measurePool(pool, registers)

  function countDomain (call: string, status: number): void {
    if (call === 'POST /legal/accept') acceptances.inc({ result: status === 201 ? 'created' : 'repeated' })
    else if (call === 'POST /legal/admin/documents/:id/publish') publishes.inc()
    const action = transitions[call]
    if (action !== undefined) moves.inc({ action })
  }

  return {
    registry,
    answered (request, reply) {
      const { method } = request
      const { statusCode } = reply
      // Paths that no route has are as many as clients invent: they share one series.
      const route = request.routeOptions.url ?? 'unmatched'
      requests.inc({ method, route, status: statusCode })
      latency.observe({ method, route }, reply.elapsedTime / 1000)
      if (statusCode < 300) countDomain(`${method} ${route.slice(basePath.length)}`, statusCode)
      const kind = refusalKinds[statusCode]
      if (kind !== undefined) refusals.inc({ kind })
    },
    shed (method) {
      requests.inc({ method, route: 'shed', status: 503 })
    }
  }
}

function measurePool (pool: PoolUsage, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number) => new Gauge({
    name,
    help,
    registers,
    collect () { this.set(read()) }
  })
  gauge('database_pool_connections', 'Connections open', () => pool.usage.total)
  gauge('database_pool_idle', 'Connections open and idle', () => pool.usage.idle)
  gauge('database_pool_waiting', 'Requests waiting for a connection', () => pool.usage.waiting)
}

/** Answers `GET /metrics` on a listener of its own, which no client of the service can reach. */
export async function serveMetrics (source: MetricsSource, address: { host: string, port: number }): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    source.read().then(
      text => { response.writeHead(200, { 'content-type': source.contentType }).end(text) },
      // A worker that does not answer within 5 s; the next scrape may find it well.
      () => { response.writeHead(503).end() }
    )
  })
  server.listen(address.port, address.host)
  await once(server, 'listening')
  return server
}

/** In a worker: lets the primary process ask for these figures, which the returned registry listens for. */
export function shareMetrics ({ registry }: Metrics): AggregatorRegistry<typeof Registry.PROMETHEUS_CONTENT_TYPE> {
  AggregatorRegistry.setRegistries([registry])
  return new AggregatorRegistry()
}

/** In the primary process: the figures of all workers, added up where that makes sense. */
export function sharedMetrics (): MetricsSource {
  const all = new AggregatorRegistry()
  return { contentType: all.contentType, read: () => all.clusterMetrics() }
}
