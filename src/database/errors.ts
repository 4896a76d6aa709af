import pg from 'pg'

/**
 * The database cannot serve right now: gone, full, locked, frozen, read-only or overloaded.
 * Answered with 503 and Retry-After; `cause` is what the driver said.
 */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable'
}

/** More requests wait for a connection than can be served in useful time; this one was refused at once. */
export class DatabaseOverloaded extends DatabaseUnavailable {
  override readonly name: string = 'DatabaseOverloaded'

  constructor () {
    super('Too many requests wait for a database connection')
  }
}

/** One for all: under an overload the stacks of thousands a second would add to the load. */
export const overloaded = new DatabaseOverloaded()

const unavailableStates = new Set([
  '25006', // read-only transaction: the server has been demoted
  '25P03', // idle in transaction for too long
  '25P04', // transaction timeout
  '40001', // serialization failure, after the retry
  '40P01', // deadlock, after the retry
  '55P03', // lock not available within lock_timeout
  '57014', // cancelled by statement_timeout
  '58030', // input/output error
  '26000', // a transaction pooler lost the prepared statement
  '0A000' // cached plan must not change result type, after the retry
])
const unavailableClasses = new Set(['08', '53', '57'])

const poisonedStates = new Set(['25006', '26000', '42P05', '0A000'])
const poisonedClasses = new Set(['08', '57'])

const retryableStates = new Set(['40001', '40P01', '0A000'])

/** The SQLSTATE of an error that the server reported; undefined for any other error. */
export function sqlState (error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Whether the same work may succeed later without anything being changed by the caller. */
export function isUnavailable (error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  const state = sqlState(error)
  return state !== undefined && (unavailableStates.has(state) || unavailableClasses.has(state.slice(0, 2)))
}

/** Whether the connection that reported this error must not be used again. */
export function isPoisoned (error: unknown): boolean {
  const state = sqlState(error)
  // A cancelled statement (57014) leaves its connection healthy.
  if (state === undefined) return true
  return poisonedStates.has(state) || (poisonedClasses.has(state.slice(0, 2)) && state !== '57014')
}

/** Whether the server undid the statement or transaction completely, so that running it again is safe. */
export function isRetryable (error: unknown): boolean {
  const state = sqlState(error)
  return state !== undefined && retryableStates.has(state)
}

/** The name of the violated constraint, when the error is a violation of one (SQLSTATE class 23). */
export function violatedConstraint (error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') === true ? error.constraint : undefined
}
