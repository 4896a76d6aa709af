/** How many may wait in a queue: in a burst, and once the queue has not been worked off for `patienceMs`. */
export interface QueueBounds {
  readonly burst: number
  readonly standing: number
}

const patienceMs = 250

/**
 * Tells a burst, which is worked off in a moment and costs nobody much, from a queue that stands because more comes in than
 * can be served. The latter makes everybody wait for nothing: the rate is the same however short it is kept.
 */
export class Standing {
  readonly #bounds: QueueBounds
  /** On the clock of `performance.now()`. */
  #caughtUpAt = 0

  constructor (bounds: QueueBounds) {
    this.#bounds = bounds
  }

  /** Nobody waits any more. */
  caughtUp (): void {
    this.#caughtUpAt = performance.now()
  }

  /** Whether one more should be refused when so many wait. */
  isFull (waiting: number): boolean {
    const { burst, standing } = this.#bounds
    return waiting >= burst || (waiting >= standing && performance.now() - this.#caughtUpAt >= patienceMs)
  }
}
