import type { Load } from './load.js'
import type { Comparison } from './rounds.js'
import type { Served } from './process.js'

/** One line of the result. A figure without a goal is told for what it is worth. */
export interface Row {
  readonly id: string
  readonly measure: string
  readonly figure: number
  readonly unit: 'ratio' | 'MB' | 's' | 'ms'
  readonly goal?: { readonly at: 'least' | 'most', readonly value: number }
  /** The lowest and highest of the rounds. */
  readonly range?: readonly [number, number]
  /** The absolute figures behind a ratio, in words. They are this machine's, of this run. */
  readonly detail: string
}

/** A measure that could not be made here, and why. */
export interface Skipped {
  readonly id: string
  readonly measure: string
  readonly skipped: string
}

export interface Measure {
  readonly id: string
  readonly title: string
  run (context: Context): Promise<Array<Row | Skipped>>
}

/** What the measures share. Servers and databases that it makes are gone when the run is over. */
export interface Context {
  /** Acceptances and users in the large database. */
  readonly scale: number
  readonly rounds: number
  readonly seconds: number
  readonly load: Load
  /** URL of a seeded database of this run's own, made at its first use. */
  database (scale: number): Promise<string>
  /** Starts the built service on a database. */
  service (databaseUrl: string, options?: ServiceOptions): Promise<Served>
  /** Starts a server of `yardsticks/`. */
  yardstick (name: string, env?: Readonly<Record<string, string>>): Promise<Served>
  /** Runs one SQL statement and returns its rows. */
  query<R extends Record<string, unknown>> (databaseUrl: string, sql: string): Promise<R[]>
}

export interface ServiceOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly floating?: boolean
}

/** A comparison as a row of the result. */
export function ratioRow (id: string, measure: string, goal: Row['goal'] | undefined, found: Comparison, detail: string): Row {
  return {
    id,
    measure,
    figure: found.ratio,
    unit: 'ratio',
    ...(goal !== undefined && { goal }),
    range: [found.lowest, found.highest],
    detail
  }
}

/** Whether the goal is met; undefined without one. */
export function isMet ({ figure, goal }: Row): boolean | undefined {
  if (goal === undefined) return undefined
  return goal.at === 'least' ? figure >= goal.value : figure <= goal.value
}
