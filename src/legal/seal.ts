import { type Kysely, sql } from 'kysely'
import { isUnavailable } from '../database/errors.js'
import type { Database } from '../database/schema.js'

/**
 * Seals the grown tail of the acceptance log and of the users, so that exact totals and far pages stay cheap; see
 * migrations/0003. Any instance may do it, and only one at a time does.
 */
export async function sealRecords (db: Kysely<Database>): Promise<void> {
  for (let sealed = 1; sealed > 0;) {
    const { rows } = await sql<{ sealed: number }>`select seal_acceptances() as sealed`.execute(db)
    sealed = rows[0]?.sealed ?? 0
  }
  await sql`select seal_users()`.execute(db)
}

const intervalMs = 5000

/** Seals every few seconds until the returned function is called and resolves; trouble is tried again next time. */
export function startSealing (db: Kysely<Database>, onError: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= sealRecords(db)
      .catch(error => { if (!isUnavailable(error)) onError(error) })
      .finally(() => { running = undefined })
  }, intervalMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
