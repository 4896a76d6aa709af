import cluster from 'node:cluster'
import { runPrimary } from './cluster.js'
import { ConfigError, loadConfig, type Config } from './config.js'
import { readEnvFile } from './env-file.js'
import { runService } from './service.js'

const config = readConfig()
if (cluster.isPrimary && config.instances > 1) await runPrimary(config)
else await runService(config)

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
