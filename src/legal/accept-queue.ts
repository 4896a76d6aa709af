import type { Kysely } from 'kysely'
import { DatabaseOverloaded, isUnavailable } from '../database/errors.js'
import type { Database } from '../database/schema.js'
import { acceptAll, type AcceptRequest, type AcceptResult } from './accept.js'

interface Waiting {
  readonly request: AcceptRequest
  resolve (result: AcceptResult): void
  reject (error: unknown): void
}

/** Statements under way at once, and acceptances in one of them. */
const flights = 2
const batchSize = 128
const maximumWaiting = 5000

/**
 * Puts acceptances that arrive while others are being stored into one statement. Nobody waits for company: with a
 * flight free, a request leaves at once, alone. Each caller is answered after the commit of its own statement.
 */
export class AcceptQueue {
  readonly #db: Kysely<Database>
  #waiting: Waiting[] = []
  #flying = 0

  constructor (db: Kysely<Database>) {
    this.#db = db
  }

  /** The result for one caller; throws DatabaseUnavailable when the database is, DatabaseOverloaded when too many wait for it. */
  accept (request: AcceptRequest): Promise<AcceptResult> {
    if (this.#waiting.length >= maximumWaiting) return Promise.reject(new DatabaseOverloaded())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      this.#depart()
    })
  }

  #depart (): void {
    while (this.#flying < flights && this.#waiting.length > 0) {
      this.#flying++
      this.#fly(this.#board()).finally(() => {
        this.#flying--
        this.#depart()
      })
    }
  }

  /** One statement may touch a user record only once: a second request of a caller waits for the next flight. */
  #board (): Waiting[] {
    const users = new Set<string>()
    const batch: Waiting[] = []
    const left: Waiting[] = []
    for (const waiting of this.#waiting) {
      const { userId } = waiting.request.caller
      if (batch.length < batchSize && !users.has(userId)) {
        users.add(userId)
        batch.push(waiting)
      } else {
        left.push(waiting)
      }
    }
    this.#waiting = left
    return batch
  }

  async #fly (batch: Waiting[]): Promise<void> {
    try {
      const results = await acceptAll(this.#db, batch.map(({ request }) => request))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as AcceptResult)
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      // Something about one of them: nothing was stored, and each is tried by itself.
      for (const waiting of batch) await this.#fly([waiting])
    }
  }
}
