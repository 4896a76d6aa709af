import { realpath } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** One process's share in a running server, held by an idle connection, so that a killed process has left by itself. */
export interface Membership {
  readonly url: string
  leave (): void
  /** Leaves, and runs `action` if nobody else is connected or about to be; tells whether it did. */
  whenLast (action: () => Promise<void>): Promise<boolean>
}

/** Held shared by every member, and alone by the one who stops the server. */
const membersLock = 0x706f7374

/** Joins the server on `port` if it serves this cluster; undefined when it does not, or not now. */
export async function joinServer (port: number, cluster: string): Promise<Membership | undefined> {
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  const client = new pg.Client({
    connectionString: url, connectionTimeoutMillis: 5000, application_name: 'embedded postgres'
  }) as pg.Client & { ref (): void, unref (): void }
  let usable = true
  client.on('error', () => { usable = false })
  try {
    await client.connect()
    // Waits for one who is stopping the server, and then fails.
    await client.query('select pg_advisory_lock_shared($1)', [membersLock])
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    if (await realpath(rows[0]?.data_directory ?? '') !== cluster) throw new Error('Another server has this port')
  } catch {
    await client.end().catch(() => {})
    return undefined
  }
  // A process that has nothing else to do may end.
  client.unref()
  const leave = (): void => {
    if (usable) client.end().catch(() => {})
    usable = false
  }
  return {
    url,
    leave,
    async whenLast (action) {
      if (!usable) return false
      client.ref()
      try {
        if (!await isAlone(client)) return false
        await action()
        return true
      } finally {
        leave()
      }
    }
  }
}

async function isAlone (client: pg.Client): Promise<boolean> {
  await client.query('select pg_advisory_unlock_shared($1)', [membersLock])
  // The server takes a moment to notice that a connection was closed.
  for (let attempt = 0; attempt < 10; attempt++) {
    const { rows } = await client.query<{ alone: boolean }>(
      `select pg_try_advisory_lock($1) and not exists (
        select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
      ) as alone`, [membersLock])
    if (rows[0]?.alone === true) return true
    await client.query('select pg_advisory_unlock_all()')
    await pause(30)
  }
  return false
}
