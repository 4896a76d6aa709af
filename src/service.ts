import closeWithGrace from 'close-with-grace'
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from './app.js'
import { drainMessage } from './cluster.js'
import type { Config } from './config.js'
import { createDatabase } from './database/client.js'
import { logDestination } from './kernel/logging.js'
import { createMetrics, serveMetrics, shareMetrics, type Metrics } from './kernel/metrics.js'
import { startTracing } from './kernel/tracing.js'
import { listenOrName, resolveHost } from './listen.js'

/** How long requests in flight may take once the listener is closed. */
export const closeMs = 20_000

/** Runs one instance until a signal, or the primary process, ends it. Throws ConfigError when it cannot listen. */
export async function runService (config: Config): Promise<void> {
  const host = await resolveHost(config.host)
  const log = logDestination({ shared: cluster.isWorker })
  const tracing = config.otlpEndpoint === undefined ? undefined : await startTracing(config.otlpEndpoint, 'legal-signals')
  const database = createDatabase(
    config.database, error => app.log.warn({ err: error }, 'idle database connection lost'), tracing?.tracePool
  )
  const metrics = config.metricsPort === undefined ? undefined : createMetrics(database.pool, config.basePath)
  const app = await buildApp({
    config, database, log, ...(metrics !== undefined && { metrics }), ...(tracing !== undefined && { tracing })
  })

  // A worker may be told twice, by the terminal's signal and by the primary: the second time must not end it at once.
  const skip = cluster.isWorker ? ['SIGINT', 'SIGTERM'] as const : []
  // Readiness first, then the listener with the requests in flight, then the pool.
  const grace = closeWithGrace({ delay: config.drainMs + closeMs, logger: app.log, skip: [...skip] }, async ({ signal, err }) => {
    if (err !== undefined) app.log.fatal({ err }, 'ending after an unexpected error')
    else app.log.info({ signal, drainMs: config.drainMs }, 'draining')
    app.drain()
    if (err === undefined) await sleep(config.drainMs)
    await app.close()
    await database.close()
    // A collector that is gone is no reason to end badly.
    await tracing?.end().catch(error => { app.log.warn({ err: error }, 'the last traces were not sent') })
    await log.flush()
  })
  if (cluster.isWorker) {
    const drain = onlyOnce(() => { grace.close() })
    for (const signal of skip) process.on(signal, drain)
    process.on('message', message => { if (message === drainMessage) drain() })
  }

  // First, so that an instance whose figures nobody could read does not take requests.
  if (metrics !== undefined) await offer(metrics, { host, port: config.metricsPort ?? 0 })
  await listenOrName('PORT', app.listen({ host, port: config.port }))
}

async function offer (metrics: Metrics, address: { host: string, port: number }): Promise<void> {
  if (cluster.isWorker) {
    shareMetrics(metrics)
    return
  }
  const { registry } = metrics
  await listenOrName('METRICS_PORT', serveMetrics({ contentType: registry.contentType, read: () => registry.metrics() }, address))
}

function onlyOnce (work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
