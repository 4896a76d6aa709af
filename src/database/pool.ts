import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import type { DatabaseConfig } from '../config.js'
import { DatabaseUnavailable, isPoisoned, isRetryable, overloaded } from './errors.js'
import { Standing } from './standing.js'

/** SQL that starts with this is planned anew for each set of values: substring patterns need it. */
export const planPerValue = '/* plan per value */'

/** Reports trouble of a connection that no request is waiting on. */
export type TroubleListener = (error: Error) => void

const connectTimeoutMs = 3000
const lockTimeoutMs = 3000
const idleInTransactionTimeoutMs = 10_000
const pingTimeoutMs = 2000
const endMs = 5000

/**
 * Requests that may wait for each connection of the pool: in a burst, whose last is served within a second when statements take 5 ms,
 * and in an overload. Whoever comes behind them would rather be told at once to go elsewhere or come back.
 */
const waitersPerConnection = { burst: 200, standing: 10 }

/**
 * The seam between Kysely and pg. It names each statement after its SQL, so that the server prepares it once a
 * connection; listens to the errors of idle connections, which would end the process otherwise; destroys connections
 * that must not be reused; and repeats once a lone statement that the server has undone completely.
 */
export class StatementPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #prepared: boolean
  readonly #queue: Standing

  constructor (config: DatabaseConfig, onTrouble: TroubleListener) {
    this.#prepared = config.prepared
    this.#queue = new Standing({
      burst: config.poolMax * waitersPerConnection.burst,
      standing: config.poolMax * waitersPerConnection.standing
    })
    this.#pool = new pg.Pool({
      connectionString: config.url,
      max: config.poolMax,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // A frozen server answers nothing, not even a cancellation: the client has to give up by itself.
      query_timeout: config.statementTimeoutMs + 1000,
      // A transaction pooler refuses these start-up settings; there they belong to the role (README, Operations).
      ...(config.prepared && {
        statement_timeout: config.statementTimeoutMs,
        lock_timeout: Math.min(lockTimeoutMs, config.statementTimeoutMs),
        idle_in_transaction_session_timeout: idleInTransactionTimeoutMs
      }),
      application_name: 'legal-signals',
      types: { getTypeParser }
    })
    this.#pool.on('error', onTrouble)
    this.#pool.on('connect', client => client.on('error', onTrouble))
  }

  /** Connections in use, idle, and requests waiting for one. */
  get usage (): { total: number, idle: number, waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount }
  }

  /** Whether `connect` would refuse. */
  get isOverloaded (): boolean {
    return this.#queue.isFull(this.#pool.waitingCount)
  }

  /**
   * Hands out a connection, first come, first served; throws DatabaseOverloaded at once when too many wait already,
   * and DatabaseUnavailable when there is none within 3 s.
   */
  async connect (): Promise<PostgresPoolClient> {
    if (this.#pool.waitingCount === 0) this.#queue.caughtUp()
    else if (this.isOverloaded) throw overloaded
    try {
      return new StatementClient(await this.#pool.connect(), this.#prepared)
    } catch (cause) {
      throw new DatabaseUnavailable('No database connection', { cause })
    }
  }

  /**
   * Resolves when a query through the pool answers, and throws DatabaseUnavailable within 5 s otherwise. It waits its
   * turn even when the queue is full: an instance that is busy is not out of order.
   */
  async ping (): Promise<void> {
    try {
      const client = await this.#pool.connect()
      try {
        await client.query({ text: 'select 1', query_timeout: pingTimeoutMs } as pg.QueryConfig)
        client.release()
      } catch (error) {
        client.release(true)
        throw error
      }
    } catch (cause) {
      throw new DatabaseUnavailable('The database does not answer', { cause })
    }
  }

  /** Closes the connections, those in use when they come back; a frozen server is not waited for longer than 5 s. */
  async end (): Promise<void> {
    const done = new AbortController()
    const patience = sleep(endMs, undefined, { signal: done.signal }).catch(() => {})
    await Promise.race([this.#pool.end(), patience])
    done.abort()
  }
}

/** One checked-out connection, from `connect` to `release`. */
class StatementClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #prepared: boolean
  #inTransaction = false
  #trouble: Error | undefined

  constructor (client: pg.PoolClient, prepared: boolean) {
    this.#client = client
    this.#prepared = prepared
  }

  query<R> (sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R> (cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R> (sql: string | PostgresCursor<R>, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof sql !== 'string') throw new TypeError('Cursors are not supported')
    return this.#run<R>(sql, parameters)
  }

  async #run<R> (sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    if (this.#trouble !== undefined) {
      // The server undoes the transaction of a lost connection by itself.
      if (sql === 'rollback') return { command: 'SELECT', rowCount: 0, rows: [] }
      throw new DatabaseUnavailable('Connection lost', { cause: this.#trouble })
    }
    if (transactionControl.has(sql)) {
      this.#inTransaction = true
      // The locks that publishes and moves take want what others have committed to be seen, whatever the role's default.
      const result = await this.#send<R>(sql === 'begin' ? 'begin isolation level read committed' : sql, parameters, false)
      this.#inTransaction = sql === 'begin'
      // So the server answers, without an error, when one of the transaction's statements had failed.
      if (sql === 'commit' && (result.command as string) === 'ROLLBACK') throw new Error('The transaction was rolled back')
      return result
    }
    try {
      return await this.#send<R>(sql, parameters, this.#prepared && !sql.startsWith(planPerValue))
    } catch (error) {
      if (this.#inTransaction || !isRetryable(error)) throw error
      // Unnamed, because a named statement may be what the server refused (0A000).
      return await this.#send<R>(sql, parameters, false)
    }
  }

  async #send<R> (text: string, parameters: readonly unknown[], named: boolean): Promise<PostgresQueryResult<R>> {
    const values = parameters as unknown[]
    try {
      const result = await this.#client.query(named ? { name: statementName(text), text, values } : { text, values })
      return result as unknown as PostgresQueryResult<R>
    } catch (error) {
      if (isPoisoned(error)) this.#trouble = error as Error
      if (error instanceof pg.DatabaseError || error instanceof TypeError) throw error
      throw new DatabaseUnavailable('Connection lost', { cause: error })
    }
  }

  release (): void {
    this.#client.release(this.#trouble !== undefined || this.#inTransaction)
  }
}

const transactionControl = new Set(['begin', 'commit', 'rollback'])

const names = new Map<string, string>()

/** Memoised: hashing a statement on every call would cost more than preparing saves. */
function statementName (sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = createHash('sha256').update(sql).digest('base64url').slice(0, 24)
    names.set(sql, name)
  }
  return name
}

const { builtins } = pg.types

function getTypeParser (oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (format !== 'binary') {
    // Counts stay far below 2^53.
    if (oid === builtins.INT8) return Number
    if (oid === builtins.TIMESTAMPTZ) return toIsoTime
  }
  return pg.types.getTypeParser(oid, format as 'text')
}

/** `2026-11-21 04:05:06.7+00` to `2026-11-21T04:05:06.700Z` without the detour over a Date. */
function toIsoTime (text: string): string {
  if (text.length >= 22 && text.length <= 26 && text.endsWith('+00') && text[10] === ' ') {
    const fraction = text.slice(20, -3)
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
  }
  return (pg.types.getTypeParser(builtins.TIMESTAMPTZ)(text) as unknown as Date).toISOString()
}
