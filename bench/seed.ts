import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { migrateToLatest, migrationsFolder } from '../src/database/migrate.js'
import { seedLegal } from './seed/legal.js'
import { seedSignals } from './seed/signals.js'

/** Runs one statement, or several without values, on a connection of its own. */
export async function query<R extends Record<string, unknown>> (url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<R>(sql)).rows
  } finally {
    await client.end()
  }
}

/** The same server, another database. */
export function databaseUrl (serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/**
 * Makes the seeded database of a scale unless an earlier run left it, and returns its name. It is told from others by
 * what went into it: migrations and seed.
 */
export async function seededDatabase (serverUrl: string, scale: number, tell: (text: string) => void): Promise<string> {
  const name = `bench_${scaleName(scale)}_${fingerprint()}`
  const found = await query(serverUrl, `select from pg_database where datname = '${name}'`)
  if (found.length > 0) return name
  const started = performance.now()
  tell(`Seeding ${scaleName(scale)} acceptances; kept for later runs as ${name}`)
  const unfinished = `${name}_unfinished`
  await query(serverUrl, `drop database if exists ${unfinished} with (force)`)
  await query(serverUrl, `create database ${unfinished}`)
  const url = databaseUrl(serverUrl, unfinished)
  await migrateToLatest(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Generated rows keep every rule by construction; the triggers would check each one and take a hundred times as long.
    await client.query("set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '256MB'")
    await seedLegal(client, scale)
    await seedSignals(client)
    await client.query('vacuum (analyze)')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
  await query(serverUrl, `alter database ${unfinished} rename to ${name}`)
  tell(`Seeded in ${Math.round((performance.now() - started) / 1000)} s`)
  return name
}

/** Copies a seeded database for one run and returns its URL. */
export async function cloneDatabase (serverUrl: string, seeded: string, name: string): Promise<string> {
  await query(serverUrl, `create database ${name} template ${seeded} strategy file_copy`)
  return databaseUrl(serverUrl, name)
}

export async function dropDatabase (serverUrl: string, name: string): Promise<void> {
  await query(serverUrl, `drop database if exists ${name} with (force)`)
}

/** `1e7` for ten million. */
export function scaleName (scale: number): string {
  return scale.toExponential().replace('+', '')
}

function fingerprint (): string {
  const hash = createHash('sha256')
  for (const folder of [migrationsFolder, new URL('./seed/', import.meta.url)]) {
    for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(new URL(file, folder)))
  }
  return hash.digest('hex').slice(0, 10)
}
