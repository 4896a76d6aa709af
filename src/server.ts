import closeWithGrace from 'close-with-grace'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from './app.js'
import { ConfigError, loadConfig, type Config } from './config.js'
import { createDatabase } from './database/client.js'
import { readEnvFile } from './env-file.js'
import { logDestination } from './kernel/logging.js'

const config = readConfig()
const database = createDatabase(config.database, error => app.log.warn({ err: error }, 'idle database connection lost'))
const log = logDestination()
const app = await buildApp({ config, database, log })

// Readiness first, then the listener with the requests in flight, then the pool.
closeWithGrace({ delay: config.drainMs + 20_000, logger: app.log }, async ({ signal, err }) => {
  if (err !== undefined) app.log.fatal({ err }, 'ending after an unexpected error')
  else app.log.info({ signal, drainMs: config.drainMs }, 'draining')
  app.drain()
  if (err === undefined) await sleep(config.drainMs)
  await app.close()
  await database.close()
  await log.flush()
})

await app.listen({ host: config.host, port: config.port })

function readConfig (): Config {
  readEnvFile()
  try {
    return loadConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
