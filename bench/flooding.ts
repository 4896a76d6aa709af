import { rate, requireOnly } from './load.js'
import type { Recipe, Report } from './load/recipe.js'
import type { Context } from './measure.js'
import type { Served } from './process.js'
import { middle, type Side } from './rounds.js'

export interface FloodOptions {
  readonly recipe: Recipe | (() => Recipe)
  readonly connections: number
  /** Anything but this status ends the run with an error. */
  readonly status?: number
  /** Each request is sent once only. */
  readonly once?: boolean
  readonly seconds?: number
}

/** A server under a closed loop of requests: a side of a comparison that keeps what else was seen. */
export interface Flooding {
  /** Requests a second of the server's own processor time; of the clock where the system does not tell the former. */
  readonly capacity: Side
  /** Requests a second. */
  readonly throughput: Side
  /** Share of its core that the load generator used, the median of the rounds. */
  generatorLoad (): number
  /** Requests a second, the median of the rounds, whichever side was run. */
  rate (): number
  /** Microseconds of the server's own processor time for one request, the median of the rounds. */
  cost (): number
}

/** Floods `served` when one of its sides is run. */
export function flooding (context: Context, served: Served, options: FloodOptions): Flooding {
  const { recipe, connections, status = 200, once = false, seconds = context.seconds } = options
  const seen: Array<{ readonly rate: number, readonly cost: number, readonly generatorLoad: number }> = []

  async function flood (): Promise<{ readonly rate: number, readonly cost: number }> {
    const before = served.cpuSeconds()
    const report: Report = await context.load.run({
      kind: 'flood', port: served.port, recipe: typeof recipe === 'function' ? recipe() : recipe, connections, seconds, once
    })
    requireOnly(report, status)
    const figures = {
      rate: rate(report),
      cost: (served.cpuSeconds() - before) / (rate(report) * report.seconds) * 1e6,
      generatorLoad: report.generatorLoad
    }
    seen.push(figures)
    return figures
  }

  return {
    async capacity () {
      const { rate, cost } = await flood()
      return cost > 0 ? 1e6 / cost : rate
    },
    throughput: async () => (await flood()).rate,
    generatorLoad: () => middle(seen.map(round => round.generatorLoad)),
    rate: () => middle(seen.map(round => round.rate)),
    cost: () => middle(seen.map(round => round.cost))
  }
}

/** Runs a server hot before the rounds that count. */
export async function warmUp (context: Context, served: Served, options: FloodOptions): Promise<void> {
  await flooding(context, served, { ...options, seconds: Math.min(2, context.seconds) }).throughput()
}

/** Both sides' absolute figures in words. */
export function describe (ours: Flooding, yardstick: Flooding): string {
  return `CPU ${ours.cost().toFixed(1)} vs ${yardstick.cost().toFixed(1)} µs a request; ` +
    `by the clock ${thousands(ours.rate())}/s vs ${thousands(yardstick.rate())}/s, ` +
    `generator at ${Math.round(100 * ours.generatorLoad())} and ${Math.round(100 * yardstick.generatorLoad())} % of its core`
}

export function thousands (figure: number): string {
  return figure >= 10_000 ? `${(figure / 1000).toFixed(1)}k` : String(Math.round(figure))
}
