import { connect, type Socket } from 'node:net'

const headEnd = Buffer.from('\r\n\r\n')
const lengthName = Buffer.from('ontent-length: ')
const zero = 48

/** Told of each answer, and of the end of a connection that answers no more. */
export interface Listener {
  onAnswer (connection: Connection, status: number): void
  onEnd (connection: Connection): void
}

/**
 * A kept-alive connection with one request on its way at most. It reads no more of an answer than its status and its
 * length: a full HTTP client costs more than the server that is measured.
 */
export class Connection {
  /** When the request on its way was sent, or fell due. */
  startedAt = 0
  readonly #socket: Socket
  readonly #listener: Listener
  /** Bytes of the answer that are still to come, beyond its head. */
  #left = 0
  #status = 0
  #rest: Buffer | undefined
  #ended = false

  private constructor (port: number, listener: Listener, onReady: () => void) {
    this.#listener = listener
    const space = Buffer.allocUnsafe(64 * 1024)
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: space, callback: size => { this.#read(space.subarray(0, size)); return true } }
    }, onReady)
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.#ended = true
      onReady()
      listener.onEnd(this)
    })
  }

  /** Resolves when connected, or when that failed (then `ended`). */
  static async open (port: number, listener: Listener): Promise<Connection> {
    return await new Promise(resolve => {
      const connection: Connection = new Connection(port, listener, () => { resolve(connection) })
    })
  }

  get ended (): boolean {
    return this.#ended
  }

  send (request: Buffer, startedAt: number): void {
    this.startedAt = startedAt
    this.#socket.write(request)
  }

  close (): void {
    this.#socket.destroy()
  }

  #read (chunk: Buffer): void {
    if (this.#status !== 0) {
      this.#left -= chunk.length
    } else {
      const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
      const end = bytes.indexOf(headEnd)
      if (end === -1) {
        this.#rest = Buffer.from(bytes)
        return
      }
      this.#rest = undefined
      this.#status = ((bytes[9] as number) - zero) * 100 + ((bytes[10] as number) - zero) * 10 + (bytes[11] as number) - zero
      this.#left = end + headEnd.length + bodyLength(bytes, end, this.#status) - bytes.length
    }
    if (this.#left > 0) return
    const status = this.#status
    this.#status = 0
    this.#listener.onAnswer(this, status)
  }
}

function bodyLength (bytes: Buffer, end: number, status: number): number {
  if (status === 204 || status === 304) return 0
  const found = bytes.indexOf(lengthName)
  if (found === -1 || found > end) throw new Error('An answer without content-length')
  let length = 0
  for (let index = found + lengthName.length; ; index++) {
    const digit = (bytes[index] as number) - zero
    if (digit < 0 || digit > 9) return length
    length = length * 10 + digit
  }
}
