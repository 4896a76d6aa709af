import closeWithGrace from 'close-with-grace'
import cluster, { type Worker } from 'node:cluster'
import type { Config } from './config.js'
import { createLogger, logDestination } from './kernel/logging.js'
import { serveMetrics, sharedMetrics } from './kernel/metrics.js'
import { listenOrName, resolveHost, tryListening } from './listen.js'

/** Asks a worker to drain and end. */
export const drainMessage = 'drain'

const firstPauseMs = 100
const longestPauseMs = 10_000
const healthyMs = 60_000
/** Beyond the time in which a worker ends by itself. */
const workersMs = 25_000

/**
 * Runs `instances` workers that share the port, and replaces those that end; one that keeps ending soon is replaced
 * after longer and longer pauses. A signal drains all of them. When a worker ends before any has listened, the
 * start fails. Exits 0 when every worker drained in time, 1 otherwise. Throws ConfigError when they could not listen.
 */
export async function runPrimary (config: Config): Promise<void> {
  const host = await resolveHost(config.host)
  await listenOrName('PORT', tryListening(host, config.port))
  if (config.metricsPort !== undefined) {
    await listenOrName('METRICS_PORT', serveMetrics(sharedMetrics(), { host, port: config.metricsPort }))
  }
  const destination = logDestination({ shared: true })
  const log = createLogger(config.logLevel, destination)
  const failures = new Set<Worker>()
  let listening = false
  let ending = false
  let pauseMs = firstPauseMs

  const grace = closeWithGrace({ delay: config.drainMs + workersMs, logger: log }, async ({ signal, err }) => {
    ending = true
    if (err !== undefined) log.fatal({ err }, 'ending after an unexpected error')
    else log.info({ signal }, 'draining the workers')
    await Promise.all(Object.values(cluster.workers ?? {}).map(async worker => { if (worker !== undefined) await end(worker) }))
    await destination.flush()
    if (failures.size > 0) throw new Error(`${failures.size} workers did not end well`)
  })
  process.on('exit', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
  })

  function start (): void {
    if (ending) return
    const startedAt = Date.now()
    const worker = cluster.fork()
    worker.on('error', error => { log.error({ err: error }, 'worker cannot be reached') })
    worker.once('listening', () => { listening = true })
    worker.once('exit', (code, signal) => {
      if (ending || !listening) {
        if (code !== 0) failures.add(worker)
        if (!ending) grace.close()
        ending = true
        return
      }
      pauseMs = Date.now() - startedAt > healthyMs ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs)
      log.error({ worker: worker.process.pid, code, signal, pauseMs }, 'worker ended, replacing it')
      setTimeout(start, pauseMs)
    })
  }

  log.info({ instances: config.instances }, 'starting workers')
  for (let count = 0; count < config.instances; count++) start()
}

async function end (worker: Worker): Promise<void> {
  if (worker.isDead()) return
  await new Promise<void>(resolve => {
    worker.once('exit', () => { resolve() })
    worker.send(drainMessage, error => { if (error !== null) worker.process.kill('SIGTERM') })
  })
}
