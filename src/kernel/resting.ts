import type { Socket } from 'node:net'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Within half of what Retry-After asks for nobody who heeds it has anything to send. */
const restMs = 500
const tickMs = 25
const busyShare = 0.9

interface Resting {
  readonly socket: Socket
  /** On the clock of `performance.now()`. */
  readonly until: number
}

/**
 * Connections that are not read from for half a second because a request of theirs was refused. To refuse costs up to
 * half of what it costs to serve, and a client that does not heed Retry-After, or a balancer with thousands of
 * connections, could keep the process at nothing else. So while the event loop is never idle, each connection is
 * refused twice a second at most. What is sent meanwhile waits in the kernel, where it costs nothing.
 */
export class RestingConnections {
  #resting: Resting[] = []
  #refused: Socket[] = []
  #timer: NodeJS.Timeout | undefined
  #use: EventLoopUtilization | undefined
  #isBusy = false
  #isOpen = true

  /** A request of this connection has just been refused. */
  refused (socket: Socket): void {
    if (!this.#isOpen) return
    if (this.#timer === undefined) {
      this.#use = performance.eventLoopUtilization()
      this.#timer = setInterval(() => { this.#tick() }, tickMs).unref()
    }
    // Node itself resumes the connection once the answer is out.
    if (this.#isBusy && this.#refused.push(socket) === 1) setImmediate(() => { this.#rest() })
  }

  /** From now on every connection is read from. Resolves once what waited on those at rest has come in. */
  async end (): Promise<void> {
    this.#isOpen = false
    this.#wake(Infinity)
    // Read in the first turn of the event loop that begins after this one.
    for (let turn = 0; turn < 2; turn++) await nextTurn()
  }

  #rest (): void {
    const until = performance.now() + restMs
    for (const socket of this.#isOpen ? this.#refused : []) {
      socket.pause()
      this.#resting.push({ socket, until })
    }
    this.#refused = []
  }

  #wake (now: number): void {
    const first = this.#resting.findIndex(({ until }) => until > now)
    for (const { socket } of this.#resting.splice(0, first === -1 ? this.#resting.length : first)) socket.resume()
  }

  #tick (): void {
    const { utilization } = performance.eventLoopUtilization(this.#use)
    this.#use = performance.eventLoopUtilization()
    this.#isBusy = utilization >= busyShare
    this.#wake(this.#isBusy ? performance.now() : Infinity)
    if (this.#isBusy) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
