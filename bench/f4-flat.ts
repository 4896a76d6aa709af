import { admin } from './callers.js'
import { median } from './load.js'
import { type Context, type Measure, ratioRow } from './measure.js'
import type { Served } from './process.js'
import { compare, type Side } from './rounds.js'
import { scaleName } from './seed.js'

const small = 1e4
const requests = 100

/** F4: what admins read must not become slower as the log grows. */
export const flat: Measure = {
  id: 'F4',
  title: 'Admin reads on the large database against those on one of 10^4 acceptances',
  async run (context) {
    const [large, few] = [await context.database(context.scale), await context.database(small)]
    const id = await activeDocument(context, large)
    const service = { large: await context.service(large), few: await context.service(few) }
    const rows = []
    for (const [name, path] of [
      ['log page', '/legal/admin/acceptances'],
      ['total', '/legal/admin/acceptances?limit=1'],
      ['analytics', `/legal/admin/documents/${id}/analytics`],
      ['admin list', '/legal/admin/documents'],
      ['detail', `/legal/admin/documents/${id}`]
    ] as const) {
      const found = await compare(context.rounds, timing(context, service.large, path), timing(context, service.few, path))
      rows.push(ratioRow('F4', `${name}, p50 at ${scaleName(context.scale)} : at ${scaleName(small)}`, { at: 'most', value: 1.5 }, found,
        `${found.ours.toFixed(2)} vs ${found.yardstick.toFixed(2)} ms`))
    }
    await service.large.stop()
    await service.few.stop()
    return rows
  }
}

/** The active terms; seeded ids do not depend on the scale. */
export async function activeDocument ({ query }: Context, database: string): Promise<string> {
  const [row] = await query<{ id: string }>(database, "select id from legal_documents where type = 'terms' and is_active")
  return row?.id ?? ''
}

/** The median time of some requests of the admin, one after the other; the figure is milliseconds. */
export function timing (context: Context, served: Served, path: string, count = requests): Side {
  return async () => median(await context.load.run({ kind: 'sequence', port: served.port, requests: count, recipe: { paths: [path], callers: admin } }))
}
