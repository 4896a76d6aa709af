import { relative } from 'node:path'
import pg from 'pg'
import { loadConfig } from '../src/config.js'
import { createDatabase } from '../src/database/client.js'
import { loadDemo } from './demo/load.js'
import { type PostgresServer, startPostgres } from './postgres.js'
import { localFolder } from './secret.js'

const name = 'legal_signals'

/** The database of `npm run dev`. */
export interface DevelopmentDatabase {
  readonly url: string
  readonly description: string
  /** Stops the embedded server unless others use it; tells how it ended, or nothing when there is nothing to tell. */
  stop (): Promise<string | undefined>
}

/** Uses the given database, or that of the embedded server, which is made when absent and emptied when `reset` is set. */
export async function openDatabase (givenUrl: string | undefined, reset: boolean): Promise<DevelopmentDatabase> {
  if (givenUrl !== undefined) {
    if (reset) throw new Error('--reset empties the embedded database only, and DATABASE_URL is set')
    return { url: givenUrl, description: withoutPassword(givenUrl), stop: async () => undefined }
  }
  const directory = `${localFolder}postgres`
  const server = await startPostgres({ directory })
  await prepare(server, reset)
  const url = new URL(server.url)
  url.pathname = `/${name}`
  const place = server.directory.startsWith(directory) ? relative(process.cwd(), server.directory) : server.directory
  return {
    url: url.href,
    description: `${url.href}, kept in ${place}`,
    stop: async () => await server.stopIfIdle() ? 'The database has stopped; its data are kept.' : 'The database goes on: somebody else is connected to it.'
  }
}

/** Loads the demo data into what is empty of a migrated database; `env` is a complete configuration of the service. */
export async function fillDatabase (env: NodeJS.ProcessEnv): Promise<void> {
  const database = createDatabase(loadConfig(env).database, () => {})
  try {
    await loadDemo(database.db)
  } finally {
    await database.close()
  }
}

async function prepare (server: PostgresServer, reset: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    if (reset) await client.query(`drop database if exists ${name} with (force)`)
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${name}`)
  } catch (error) {
    // Another start made it in between (duplicate_database, or its unique index).
    if (!(error instanceof pg.DatabaseError) || !['42P04', '23505'].includes(error.code ?? '')) throw error
  } finally {
    await client.end()
  }
}

function withoutPassword (text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  url.password = ''
  return url.href
}
