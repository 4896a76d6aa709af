import { freshUsers, knownUsers } from './callers.js'
import { type Flooding, flooding, thousands, warmUp } from './flooding.js'
import { count, rate } from './load.js'
import type { Recipe, Report } from './load/recipe.js'
import { type Context, type Measure, ratioRow, type Row } from './measure.js'
import type { Served } from './process.js'
import { compare, type Comparison, middle } from './rounds.js'

/** More than the service lets wait. */
const connections = 6000
const levels = [32, 64, 128, 256]

/**
 * F10: twice the load that saturates the service: twice the clients, each of which waits for its answer, and twice the
 * rate, whether or not the service keeps up.
 */
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
): Promise<Row[]> {
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
  const saturating = flooding(context, service, options(level))
  const clients = 2 * level
  const crowd = await exceed(context, saturating, async () => await context.load.run({
    kind: 'flood', port: service.port, recipe: recipe(most), connections: clients, seconds, once: status === 201
  }))
  const flood = await exceed(context, saturating, async () => await context.load.run({
    kind: 'pace', port: service.port, recipe: recipe(Math.round(2 * peak) * seconds), connections, seconds, rate: Math.round(2 * peak)
  }))
  return [
    ...describe(`${name}, twice the clients that saturate`, crowd, `${clients} clients that ask again at once`),
    ...describe(`${name}, twice the peak rate`, flood, `${thousands(2 * peak)}/s offered over ${connections} connections`)
  ]
}

interface Excess {
  readonly found: Comparison
  /** Shares of all answers, a round each. */
  readonly refused: readonly number[]
  /** p99 of the refusals in milliseconds, a round each that had any. */
  readonly slowest: readonly number[]
  readonly lost: number
}

/** Rounds of an overload beside rounds of the load that just saturates. */
async function exceed (context: Context, saturating: Flooding, overload: () => Promise<Report>): Promise<Excess> {
  const refused: number[] = []
  const slowest: number[] = []
  let lost = 0
  const found = await compare(context.rounds, async () => {
    const report = await overload()
    refused.push(count(report, status => status === 503) / count(report, () => true))
    if (report.statuses[503] !== undefined) slowest.push(report.statuses[503].p99)
    lost += report.unanswered + count(report, status => status >= 500 && status !== 503)
    return rate(report)
  }, saturating.throughput)
  return { found, refused, slowest, lost }
}

function describe (name: string, { found, refused, slowest, lost }: Excess, load: string): Row[] {
  const goodput = ratioRow('F10', `${name}, goodput : peak`, { at: 'least', value: 0.9 }, found,
    `${load}: ${thousands(found.ours)}/s vs ${thousands(found.yardstick)}/s; ${Math.round(100 * middle(refused))} % refused, ${lost} lost`)
  if (slowest.length === 0) return [goodput]
  return [goodput, {
    id: 'F10',
    measure: `${name}, p99 of the 503s`,
    figure: middle(slowest),
    unit: 'ms',
    goal: { at: 'most', value: 1000 },
    range: [Math.min(...slowest), Math.max(...slowest)],
    detail: 'from the moment at which the request was sent, or fell due'
  }]
}
