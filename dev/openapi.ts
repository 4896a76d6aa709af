import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { buildApp } from '../src/app.js'
import { loadConfig } from '../src/config.js'
import { createDatabase } from '../src/database/client.js'

/*
 * Writes the OpenAPI document of the service to a file: `node --import tsx dev/openapi.ts FILE`.
 * The document comes from the routes alone, so no database needs to run.
 */
const file = process.argv[2]
if (file === undefined) throw new Error('Name the file to write')

const config = loadConfig({ DATABASE_URL: 'postgres://127.0.0.1:1/none', JWT_SECRET: 'no token is verified here, only routes are read', LOG_LEVEL: 'silent' })
const database = createDatabase(config.database, () => {})
const app = await buildApp({ config, database })
await app.ready()
await mkdir(dirname(file), { recursive: true })
await writeFile(file, `${JSON.stringify(app.swagger(), null, 2)}\n`)
await app.close()
await database.close()
