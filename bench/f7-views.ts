import { startups } from './callers.js'
import { flooding, thousands, warmUp } from './flooding.js'
import { type Measure, ratioRow } from './measure.js'
import { compare } from './rounds.js'

const connections = 64
const spread = 10_000
const viewers = 1000

/** F7: a signal that everybody looks at must not make its viewers wait for each other. */
export const views: Measure = {
  id: 'F7',
  title: 'Views of one signal against views spread over 10^4 signals',
  async run (context) {
    const database = await context.database(1e4)
    const service = await context.service(database)
    const signals = await context.query<{ id: string }>(database,
      `select id from signals where is_public and is_active and not is_archived order by id limit ${spread}`)
    const paths = signals.map(({ id }) => `/signal-pool/${id}/view`)
    const options = (some: string[]) => ({ recipe: { method: 'POST' as const, paths: some, callers: startups(viewers) }, connections })
    const one = flooding(context, service, options(paths.slice(0, 1)))
    const many = flooding(context, service, options(paths))
    await warmUp(context, service, options(paths.slice(0, 1)))
    await warmUp(context, service, options(paths))
    const found = await compare(context.rounds, one.throughput, many.throughput)
    await service.stop()
    return [ratioRow('F7', `views of one signal : of ${thousands(spread)} signals`, { at: 'least', value: 0.8 }, found,
      `${thousands(found.ours)}/s vs ${thousands(found.yardstick)}/s`)]
  }
}
