import cluster from 'node:cluster'
import { runPrimary } from './cluster.js'
import { ConfigError, loadConfig } from './config.js'
import { readEnvFile } from './env-file.js'
import { runService } from './service.js'

try {
  readEnvFile()
  const config = loadConfig(process.env)
  await (cluster.isPrimary && config.instances > 1 ? runPrimary(config) : runService(config))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exit(1)
}
