import type pg from 'pg'

/** Signals in every seeded database, whatever its scale. */
export const signalCount = 100_000

/** Nothing yet where there are no signals. */
export async function seedSignals (client: pg.Client): Promise<void> {
  const { rows: [found] } = await client.query<{ exists: boolean }>("select to_regclass('signals') is not null as exists")
  if (found?.exists !== true) return undefined
}
