import { parseArgs } from 'node:util'
import { type Config, loadConfig } from '../src/config.js'
import { migrateToLatest } from '../src/database/migrate.js'
import { readEnvFile } from '../src/env-file.js'
import { fillDatabase, openDatabase, type DevelopmentDatabase } from './database.js'
import { personas, type Persona, type PersonaName } from './personas.js'
import { choosePort } from './port.js'
import { ServiceRunner } from './runner.js'
import { developmentSecret } from './secret.js'
import { foreignKey, setting, signToken } from './sign.js'
import { complain, say, welcome } from './terminal.js'
import { watchFiles } from './watch.js'

const help = `Runs the service for development: with a database, demo data, and restarts on change.

  npm run dev [-- --reset]

  --reset   empty the embedded database first
  --help    this text

The environment and .env are heeded (see .env.example). Without DATABASE_URL an embedded PostgreSQL is used,
without a JWT_ variable a secret of this machine, and without PORT 3000 or the next free port.
`

const tokenDays = 30
/** A second Ctrl-C within this time is an echo of the first: both the terminal and npm pass it on. */
const echoMs = 1000

let database: DevelopmentDatabase | undefined
let runner: ServiceRunner | undefined
let stopWatching = (): void => {}
let ending: { readonly since: number } | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
const startup = main()
startup.catch(async error => {
  if (ending !== undefined) return
  complain(error instanceof Error ? error.message : String(error))
  await end(1)
})

async function main (): Promise<void> {
  const started = performance.now()
  const { values } = parseArgs({ options: { reset: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
  if (values.help === true) {
    process.stdout.write(help)
    return
  }
  readEnvFile()
  const env: NodeJS.ProcessEnv = { ...process.env }
  env['PORT'] = await choosePort(setting(env, 'HOST') ?? '127.0.0.1', setting(env, 'PORT'))
  env['DRAIN_MS'] = setting(env, 'DRAIN_MS') ?? '0'
  env['LOG_LEVEL'] = setting(env, 'LOG_LEVEL') ?? 'warn'
  env['ADMIN_EMAILS'] = setting(env, 'ADMIN_EMAILS') ?? personas.admin.email
  if (foreignKey(env) === undefined) env['JWT_SECRET'] = setting(env, 'JWT_SECRET') ?? await developmentSecret()

  // A mistake in the environment is told before anything is started.
  loadConfig({ ...env, DATABASE_URL: setting(env, 'DATABASE_URL') ?? 'postgres://embedded' })
  database = await openDatabase(setting(env, 'DATABASE_URL'), values.reset === true)
  env['DATABASE_URL'] = database.url
  const config = loadConfig(env)
  const address = addressOf(config)
  if (ending !== undefined) return
  await migrateToLatest(config.database.url)
  if (ending !== undefined) return
  await fillDatabase(env)
  if (ending !== undefined) return

  runner = new ServiceRunner(env, `${new URL(address).origin}/health/live`, reason => {
    complain(`The service has ended (${reason}). It starts again when a file changes.`)
  })
  const serving = await runner.start()
  if (ending !== undefined) return
  if (serving) await greet(config, env, address, database.description, (performance.now() - started) / 1000)
  else complain('The service did not start. It starts again when a file changes.')
  stopWatching = watchFiles(['src', 'migrations'], async paths => { await restart(paths, config.database.url) })
}

async function greet (config: Config, env: NodeJS.ProcessEnv, address: string, description: string, seconds: number): Promise<void> {
  const moved = setting(process.env, 'PORT') === undefined && config.port !== 3000
  const tokens = foreignKey(env) !== undefined
    ? []
    : await Promise.all((Object.entries(personas) as Array<[PersonaName, Persona]>).map(async ([name, persona]) => {
      const email = name === 'admin' ? config.tokens.adminEmails[0] ?? persona.email : persona.email
      return {
        name,
        who: `${persona.firstName} ${persona.lastName} <${email}>`,
        may: persona.may,
        token: await signToken({ ...persona, email }, tokenDays * 86_400, env)
      }
    }))
  console.log(welcome({
    seconds,
    address,
    database: description,
    notes: moved ? [`Port 3000 is taken by another program, so this is port ${config.port}.`] : [],
    tokens,
    tokenDays
  }))
}

async function restart (paths: string[], databaseUrl: string): Promise<void> {
  const started = performance.now()
  say(`${paths.length === 1 ? paths[0] : `${paths[0]} and ${paths.length - 1} more`} changed: starting again`)
  try {
    await runner?.stop()
    if (paths.some(path => path.startsWith('migrations'))) {
      for (const name of await migrateToLatest(databaseUrl)) say(`migrated: ${name}`)
    }
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
  }
  if (ending !== undefined || runner === undefined) return
  if (await runner.start()) say(`running again after ${((performance.now() - started) / 1000).toFixed(1)} s`)
  else if (ending === undefined) complain('The service did not start. It starts again when a file changes.')
}

function onSignal (): void {
  if (ending === undefined) {
    end(0).catch(error => {
      complain(String(error))
      process.exit(1)
    })
  } else if (performance.now() - ending.since > echoMs) {
    runner?.kill()
    process.exit(1)
  }
}

/** The service first, so that requests under way still have their database. */
async function end (code: number): Promise<void> {
  ending = { since: performance.now() }
  stopWatching()
  await runner?.stop()
  // A start that is under way goes on to its next step, and then sees that it is to end.
  await startup.catch(() => {})
  const words = await database?.stop().catch(error => String(error))
  if (words !== undefined) say(words)
  process.exit(code)
}

/** Where this machine reaches the service, without a slash at the end. */
function addressOf ({ host, port, basePath }: Config): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}${basePath}`
}
