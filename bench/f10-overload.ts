import { freshUsers, knownUsers } from './callers.js'
import { flooding, thousands, warmUp } from './flooding.js'
import { count, rate } from './load.js'
import type { Recipe } from './load/recipe.js'
import { type Context, type Measure, ratioRow, type Row, type Skipped } from './measure.js'
import type { Served } from './process.js'
import { compare, middle } from './rounds.js'

/** More than the service lets wait. */
const connections = 6000
const levels = [32, 64, 128, 256]

/** F10: twice the load that saturates the service, at a fixed rate whether or not it keeps up. */
export const overload: Measure = {
  id: 'F10',
  title: 'Goodput at twice the saturating load against the peak',
  async run (context) {
    const service = await context.service(await context.database(1e4))
    const rows = await underOverload(context, service, 'GET status', () => ({ paths: ['/legal/status'], callers: knownUsers(1e4, 2000) }), 200)
    rows.push(...await underOverload(context, service, 'POST accept', requests =>
      ({ method: 'POST', paths: ['/legal/accept'], body: '{"type":"terms"}', callers: freshUsers(requests) }), 201))
    await service.stop()
    return rows
  }
}

async function underOverload (
  context: Context, service: Served, name: string, recipe: (requests: number) => Recipe, status: number
): Promise<Array<Row | Skipped>> {
  const { seconds } = context
  const most = 15_000 * Math.ceil(seconds)
  const options = (level: number) => ({ recipe: () => recipe(most), connections: level, status, once: status === 201 })
  await warmUp(context, service, options(64))
  let peak = 0
  let level = 0
  for (const candidate of levels) {
    const figure = await flooding(context, service, options(candidate)).throughput()
    if (figure > peak) [peak, level] = [figure, candidate]
  }
  const refusals: number[] = []
  const slowest: number[] = []
  let lost = 0
  async function twice (): Promise<number> {
    const order = Math.round(2 * peak)
    const report = await context.load.run({ kind: 'pace', port: service.port, recipe: recipe(order * seconds), connections, seconds, rate: order })
    refusals.push(count(report, status => status === 503) / (order * seconds))
    slowest.push(report.statuses[503]?.p99 ?? 0)
    lost += report.unanswered + count(report, status => status >= 500 && status !== 503)
    return rate(report)
  }
  const found = await compare(context.rounds, twice, flooding(context, service, options(level)).throughput)
  return [
    ratioRow('F10', `${name}, goodput at twice the saturating load : peak`, { at: 'least', value: 0.9 }, found,
      `${thousands(found.ours)}/s of ${thousands(2 * peak)}/s offered vs ${thousands(found.yardstick)}/s at ${level} connections; ` +
      `${Math.round(100 * middle(refusals))} % refused, ${lost} lost`),
    {
      id: 'F10',
      measure: `${name}, p99 of the 503 for the excess`,
      figure: middle(slowest),
      unit: 'ms',
      goal: { at: 'most', value: 1000 },
      range: [Math.min(...slowest), Math.max(...slowest)],
      detail: 'from the moment at which the request fell due'
    }
  ]
}
