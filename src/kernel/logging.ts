import type { FastifyRequest } from 'fastify'
import { pino, type DestinationStream, type Logger } from 'pino'
import { DatabaseOverloaded } from '../database/errors.js'
import { type LogDestination, requestLine, type RequestRecord } from './request-log.js'

const flushMs = 250

/** Standard output behind a buffer. `flush` resolves when everything logged so far has left the process. */
export interface StandardOutput extends LogDestination {
  flush (): Promise<void>
}

/** What a pipe takes at once: several processes that write no more than that do not tear each other's lines. */
const sharedChunk = 4096
/** Each write costs as much as logging some ten requests does. */
const ownChunk = 128 * 1024
/** Requests whose lines are made in one go: one at a time, between other work, each costs three times as much. */
const batchSize = 64

/**
 * Writes to standard output off the event loop, many lines at a time, none of them older than half a second; in smaller
 * chunks where the output is shared with other workers. An exit of the process, also after an uncaught error, writes
 * what is left.
 */
export function logDestination ({ shared = false }: { shared?: boolean } = {}): StandardOutput {
  const chunk = shared ? sharedChunk : ownChunk
  const stream = pino.destination({
    dest: 1,
    sync: false,
    minLength: chunk / 2,
    maxWrite: chunk,
    periodicFlush: flushMs,
    // A reader that has stopped reading must not fill the memory: beyond this the newest lines are dropped.
    maxLength: 16 * 1024 * 1024
  } as Parameters<typeof pino.destination>[0])
  let batch: RequestRecord[] = []
  function writeBatch (): void {
    if (batch.length === 0) return
    const lines = batch.map(requestLine)
    batch = []
    // The stream cuts between what it is given, never within it.
    for (const text of shared ? lines : [lines.join('')]) stream.write(text)
  }
  setInterval(writeBatch, flushMs).unref()
  process.once('exit', () => {
    writeBatch()
    stream.flushSync()
  })
  return {
    write (line) {
      writeBatch()
      stream.write(line)
    },
    writeRequest (record) {
      if (batch.push(record) >= batchSize) writeBatch()
    },
    flush: () => new Promise(resolve => {
      writeBatch()
      // Its callback reports that a pipe cannot be synced; the lines are out by then.
      stream.flush(() => {
        stream.flushSync()
        resolve()
      })
    })
  }
}

/** The service's logger. Errors are written without the driver's details, which quote rows and parameters. */
export function createLogger (level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: describeError } }, destination)
}

interface ErrorLine {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly constraint?: string
  readonly stack?: string
  readonly cause?: ErrorLine
}

const maximumCauses = 5

function describeError (error: unknown, depth = 0): ErrorLine {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { code, constraint } = error as { code?: unknown, constraint?: unknown }
  return {
    type: error.constructor.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < maximumCauses && { cause: describeError(error.cause, depth + 1) })
  }
}

/**
 * Logs trouble of ours with its causes and stacks. A full queue is no more than its request's line says: thousands of
 * stacks a second would only add to the load.
 */
export function logFailure (error: Error, request: FastifyRequest): void {
  if (!(error instanceof DatabaseOverloaded)) request.log.error({ err: error }, 'request failed')
}
