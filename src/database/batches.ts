import { isUnavailable, overloaded } from './errors.js'
import { Standing } from './standing.js'

interface Waiting<Item, Result> {
  readonly item: Item
  resolve (result: Result): void
  reject (error: unknown): void
}

export interface BatchOptions<Item, Result> {
  /** Statements under way at once. */
  readonly flights: number
  /** Items in one statement. */
  readonly size: number
  /** Items that may wait in a burst. */
  readonly maximumWaiting: number
  /** Items with the same key do not travel together: the second waits for the next statement. */
  keyOf? (item: Item): string
  /** Resolves once what it did is committed, with the results in the order of the items. */
  run (items: readonly Item[]): Promise<readonly Result[]>
}

/**
 * Puts the requests that arrive while others are at the database into one statement. Nobody waits for company: with a
 * flight free, an item leaves at once, alone. No item joins a statement that was sent before it came, so that a caller
 * reads what it has written. One that makes its statement fail is tried by itself and fails alone.
 *
 * Whoever comes when too many wait is refused: `maximumWaiting`, or no more than the next statements carry once all of them
 * have been full for a while.
 */
export class Batches<Item, Result> {
  readonly #options: BatchOptions<Item, Result>
  #waiting: Array<Waiting<Item, Result>> = []
  #flying = 0
  readonly #queue: Standing

  constructor (options: BatchOptions<Item, Result>) {
    this.#options = options
    this.#queue = new Standing({ burst: options.maximumWaiting, standing: options.flights * options.size })
  }

  /** Whether `add` would refuse. */
  get isOverloaded (): boolean {
    return this.#queue.isFull(this.#waiting.length)
  }

  /** The result of one item; throws what `run` throws for it, and DatabaseOverloaded when too many wait. */
  add (item: Item): Promise<Result> {
    if (this.isOverloaded) return Promise.reject(overloaded)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#depart()
    })
  }

  #depart (): void {
    while (this.#flying < this.#options.flights && this.#waiting.length > 0) {
      this.#flying++
      const batch = this.#board()
      // Whatever is left waits for an item with its key.
      if (batch.length < this.#options.size) this.#queue.caughtUp()
      // It never rejects.
      this.#fly(batch).then(() => {
        this.#flying--
        this.#depart()
      })
    }
  }

  #board (): Array<Waiting<Item, Result>> {
    const { size, keyOf } = this.#options
    if (keyOf === undefined) return this.#waiting.splice(0, size)
    const keys = new Set<string>()
    const batch: Array<Waiting<Item, Result>> = []
    this.#waiting = this.#waiting.filter(waiting => {
      const key = keyOf(waiting.item)
      if (batch.length >= size || keys.has(key)) return true
      keys.add(key)
      batch.push(waiting)
      return false
    })
    return batch
  }

  /** Tells each of the batch by itself, of trouble too. */
  async #fly (batch: ReadonlyArray<Waiting<Item, Result>>): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      for (const waiting of batch) await this.#fly([waiting])
    }
  }
}
