import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrateToLatest } from '../src/database/migrate.js'
import { compile } from './compile.js'
import { startTestPostgres } from './embedded.js'
import { compiledFolder, hasOtherRuns, registerRun, type TestServer } from './server.js'

// Run by tap before the test files: compiles them and makes a server ready with a migrated database to clone.
registerRun()
const given = process.env['DATABASE_URL'] ?? ''
const [server] = await Promise.all([
  given === '' ? embedded() : makeTemplate(given).then(template => ({ url: given, template })),
  compile(compiledFolder())
])
registerRun(server)

async function embedded (): Promise<TestServer> {
  const { url } = await startTestPostgres()
  if (!hasOtherRuns()) await dropLeftovers(url)
  return { url, template: await makeTemplate(url) }
}

async function makeTemplate (url: string): Promise<string> {
  const name = `template_${randomBytes(8).toString('hex')}`
  await administer(url, async client => { await client.query(`create database ${name}`) })
  const database = new URL(url)
  database.pathname = `/${name}`
  await migrateToLatest(database.href)
  return name
}

/** Databases of runs that were killed. */
async function dropLeftovers (url: string): Promise<void> {
  await administer(url, async client => {
    const { rows } = await client.query<{ datname: string }>("select datname from pg_database where datname ~ '^(test|template)_'")
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`)
  })
}

async function administer (url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
