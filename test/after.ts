import pg from 'pg'
import { startTestPostgres } from './embedded.js'
import { forgetRun, hasOtherRuns, testServer } from './server.js'

// Run by tap after the test files: removes what test/before.ts made.
const { url, template } = testServer()
const client = new pg.Client({ connectionString: url })
await client.connect()
await client.query(`drop database if exists ${template} with (force)`)
await client.end()
forgetRun()
if ((process.env['DATABASE_URL'] ?? '') === '') {
  const server = await startTestPostgres()
  if (!hasOtherRuns()) await server.stopIfIdle()
}
