import { LogController, type FastifyReply, type FastifyRequest } from 'fastify'
import { hostname } from 'node:os'
import { type DestinationStream, levels } from 'pino'

/** How a request ended, for people who search the log. */
type Outcome = 'ok' | 'refused' | 'unavailable' | 'failed'

/** What the line of one request tells. */
export interface RequestRecord {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly reqId: string
  readonly method: string
  /** The pattern, never the address, whose query may carry anything; undefined when no route has the path. */
  readonly route: string | undefined
  readonly status: number
  readonly ms: number
  readonly user: string | undefined
  readonly outcome: Outcome
}

/** Where the log goes. One that takes records makes their lines when it suits it, in the order of everything written. */
export interface LogDestination extends DestinationStream {
  writeRequest? (record: RequestRecord): void
}

/** The level of requests' lines. */
const { info } = levels.values as { info: number }

/** One line a request, when it is answered, at level info. */
export class RequestLog extends LogController {
  readonly #isOn: boolean
  readonly #destination: LogDestination

  constructor (level: string, destination: LogDestination) {
    super()
    this.#isOn = info >= (levels.values[level] ?? Infinity)
    this.#destination = destination
  }

  override incomingRequest (): void {}

  override requestCompleted (error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (!this.#isOn) return
    const { statusCode: status } = reply
    const record: RequestRecord = {
      time: Date.now(),
      reqId: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      user: request.caller?.userId,
      outcome: error == null ? outcomeOf(status) : 'failed'
    }
    if (this.#destination.writeRequest === undefined) this.#destination.write(requestLine(record))
    else this.#destination.writeRequest(record)
  }
}

function outcomeOf (status: number): Outcome {
  if (status < 400) return 'ok'
  if (status < 500) return 'refused'
  return status === 503 ? 'unavailable' : 'failed'
}

/** The line of a request whose client went before it was answered; it has no status. */
export function logAborted ({ request, elapsedTime }: FastifyReply): void {
  request.log.info({
    method: request.method,
    route: request.routeOptions.url,
    ms: Math.round(elapsedTime * 100) / 100,
    user: request.caller?.userId,
    outcome: 'aborted'
  }, 'request')
}

const processFields = `,"pid":${process.pid},"hostname":${JSON.stringify(hostname())},"reqId":"`

/**
 * The line that pino would write, put together from what is known of each field: a request id and a method have nothing
 * to escape. Making a line by way of pino, with a logger of its own for the request id, costs several times as much.
 */
export function requestLine ({ time, reqId, method, route, status, ms, user, outcome }: RequestRecord): string {
  const where = route === undefined ? '' : `,"route":"${route}"`
  const who = user === undefined ? '' : `,"user":${JSON.stringify(user)}`
  return `{"level":${info},"time":${time}${processFields}${reqId}","method":"${method}"${where},"status":${status},"ms":${ms}${who},"outcome":"${outcome}","msg":"request"}\n`
}
