import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { DatabaseConfig } from '../config.js'
import { StatementPool, type TroubleListener } from './pool.js'
import type { Database } from './schema.js'

/** One instance's access to Postgres: the query builder, the pool's figures, a probe and the end. */
export interface DatabaseClient {
  readonly db: Kysely<Database>
  readonly pool: StatementPool
  /** Resolves when a query through the pool answers; throws DatabaseUnavailable otherwise. */
  ping (): Promise<void>
  /** Waits for the connections in use; may be called again. */
  close (): Promise<void>
}

/**
 * Opens no connection yet: a service may start before its database does. `wrap` gets between the query builder and the
 * pool, to watch the statements.
 */
export function createDatabase (
  config: DatabaseConfig, onTrouble: TroubleListener, wrap: (pool: PostgresPool) => PostgresPool = pool => pool
): DatabaseClient {
  const pool = new StatementPool(config, onTrouble)
  let closed: Promise<void> | undefined
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: wrap(pool) }) })
  return {
    db,
    pool,
    ping: () => pool.ping(),
    // Not db.destroy(), which leaves the pool open when no query was ever run.
    close () {
      closed ??= pool.end()
      return closed
    }
  }
}
