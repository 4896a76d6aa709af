import { freshUsers, knownUsers } from './callers.js'
import { flooding, thousands, warmUp } from './flooding.js'
import type { Recipe } from './load/recipe.js'
import { type Context, type Measure, ratioRow, type Row, type Skipped } from './measure.js'
import { compare } from './rounds.js'

const connections = 64
const megabyte = 1024 * 1024
const sampleMs = 100

/** F9: what a second worker process brings on this machine, and the memory of one under load. */
export const processes: Measure = {
  id: 'F9',
  title: 'Two worker processes against one, and the memory of one',
  async run (context) {
    return [await workers(context), await memory(context)]
  }
}

async function workers (context: Context): Promise<Row | Skipped> {
  const measure = 'GET status, INSTANCES=2 : 1, not pinned'
  const database = await context.database(1e4)
  const one = await context.service(database, { floating: true })
  const two = await context.service(database, { floating: true, env: { INSTANCES: '2' } })
  const workers = two.memory().length - 1
  const options = { recipe: { paths: ['/legal/status'], callers: knownUsers(1e4, 2000) }, connections }
  const ours = flooding(context, two, options)
  const yardstick = flooding(context, one, options)
  if (workers === 2) {
    await warmUp(context, two, options)
    await warmUp(context, one, options)
  }
  const found = workers === 2 ? await compare(context.rounds, ours.throughput, yardstick.throughput) : undefined
  await one.stop()
  await two.stop()
  if (found === undefined) return { id: 'F9', measure, skipped: 'the service started no workers' }
  return ratioRow('F9', measure, undefined, found,
    `${thousands(found.ours)}/s vs ${thousands(found.yardstick)}/s; the database and the load share these cores`)
}

/** The most that one process held while it was flooded with each kind of request in turn. */
async function memory (context: Context): Promise<Row> {
  const service = await context.service(await context.database(context.scale))
  const loads: Array<{ readonly recipe: Recipe, readonly status?: number, readonly once?: boolean }> = [
    { recipe: { paths: ['/legal/current/terms'] } },
    { recipe: { paths: ['/legal/status'], callers: knownUsers(1e4, 2000) } },
    {
      recipe: {
        method: 'POST', paths: ['/legal/accept'], body: '{"type":"terms"}', callers: freshUsers(15_000 * Math.ceil(context.seconds))
      },
      status: 201,
      once: true
    }
  ]
  let most = 0
  const timer = setInterval(() => { most = Math.max(most, service.memory()[0] ?? 0) }, sampleMs)
  for (const load of loads) {
    const flood = flooding(context, service, { ...load, connections: 256 })
    await flood.throughput()
  }
  clearInterval(timer)
  await service.stop()
  return {
    id: 'F9',
    measure: 'resident memory of one process under load',
    figure: most / megabyte,
    unit: 'MB',
    goal: { at: 'most', value: 150 },
    detail: `the most that was seen in ${loads.length} floods of ${context.seconds} s over 256 connections`
  }
}
