/** The PostgreSQL of a run. */
export interface BenchServer {
  readonly url: string
  stop (): Promise<void>
}

/** The server that DATABASE_URL names; its user must be a superuser. */
export async function findServer (): Promise<BenchServer> {
  const url = process.env['DATABASE_URL']
  if (url === undefined || url === '') throw new Error('DATABASE_URL must name a PostgreSQL server')
  return { url, async stop () {} }
}
