import { migrateToLatest } from './database/migrate.js'
import { readEnvFile } from './env-file.js'

readEnvFile()
const url = process.env['DATABASE_URL'] ?? ''
if (url === '') {
  console.error('DATABASE_URL is required')
  process.exit(1)
}
try {
  const names = await migrateToLatest(url)
  console.log(names.length === 0 ? 'The database is up to date.' : `Migrated: ${names.join(', ')}`)
} catch (error) {
  console.error(`Migration failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}
