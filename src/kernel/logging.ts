import { LogController, type FastifyReply, type FastifyRequest } from 'fastify'
import { pino, type DestinationStream, type Logger } from 'pino'
import { DatabaseOverloaded } from '../database/errors.js'

/** How a request ended, for people who search the log. */
type Outcome = 'ok' | 'refused' | 'unavailable' | 'failed'

const flushMs = 250

/** Standard output behind a buffer. `flush` resolves when everything logged so far has left the process. */
export interface LogDestination extends DestinationStream {
  flush (): Promise<void>
}

/** What a pipe takes at once: several processes that write no more than that do not tear each other's lines. */
const sharedChunk = 4096
/** Each write costs as much as logging some ten requests does. */
const ownChunk = 32 * 1024

/**
 * Writes to standard output off the event loop, many lines at a time, none of them older than 250 ms; in smaller chunks
 * where the output is shared with other workers. An exit of the process, also after an uncaught error, writes what is
 * left.
 */
export function logDestination ({ shared = false }: { shared?: boolean } = {}): LogDestination {
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
  return {
    write: line => stream.write(line),
    flush: () => new Promise(resolve => {
      // Its callback reports that a pipe cannot be synced; the lines are out by then.
      stream.flush(() => {
        stream.flushSync()
        resolve()
      })
    })
  }
}

/** The service's logger. Errors are written without the driver's details, which quote rows and parameters. */
export function createLogger (level: string, destination: DestinationStream = logDestination()): Logger {
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
 * One line a request, when it is answered: method, route pattern (never the address, whose query may carry anything),
 * status, duration in ms, user id and outcome; the request id comes with the request's own logger.
 */
export class RequestLog extends LogController {
  override incomingRequest (): void {}

  override requestCompleted (error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { statusCode } = reply
    request.log.info({
      method: request.method,
      route: request.routeOptions.url,
      status: statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      user: request.caller?.userId,
      outcome: error == null ? outcomeOf(statusCode) : 'failed'
    }, 'request')
  }
}

function outcomeOf (status: number): Outcome {
  if (status < 400) return 'ok'
  if (status < 500) return 'refused'
  return status === 503 ? 'unavailable' : 'failed'
}

/**
 * Logs trouble of ours with its causes and stacks. A full queue is no more than its request's line says: thousands of
 * stacks a second would only add to the load.
 */
export function logFailure (error: Error, request: FastifyRequest): void {
  if (!(error instanceof DatabaseOverloaded)) request.log.error({ err: error }, 'request failed')
}
