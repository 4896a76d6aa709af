import type { Kysely, Transaction } from 'kysely'
import { isRetryable } from './errors.js'
import type { Database } from './schema.js'

/**
 * Runs `work` in one READ COMMITTED transaction and commits it; whatever `work` throws rolls it back and is thrown on.
 * A deadlock or serialization failure, which the server has undone completely, is tried once more: `work` must not
 * have effects outside the transaction.
 */
export async function inTransaction<T> (db: Kysely<Database>, work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(work)
  } catch (error) {
    if (!isRetryable(error)) throw error
    return await db.transaction().execute(work)
  }
}
