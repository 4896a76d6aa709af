import { timing } from './f4-flat.js'
import { type Measure, ratioRow } from './measure.js'
import { compare } from './rounds.js'

const pageSize = 100

/** F5: the oldest page of the log against the newest, of both types and of one. */
export const far: Measure = {
  id: 'F5',
  title: 'The far end of the acceptance log against its beginning',
  async run (context) {
    const service = await context.service(await context.database(context.scale))
    const rows = []
    for (const [name, path, total] of [
      ['log', '/legal/admin/acceptances?', context.scale],
      ['log of one type', '/legal/admin/acceptances?type=terms&', context.scale / 2]
    ] as const) {
      const page = (offset: number) => timing(context, service, `${path}limit=${pageSize}&offset=${offset}`)
      const found = await compare(context.rounds, page(total - pageSize), page(0))
      rows.push(ratioRow('F5', `${name}, p50 at offset ${total - pageSize} : at 0`, { at: 'most', value: 5 }, found,
        `${found.ours.toFixed(2)} vs ${found.yardstick.toFixed(2)} ms`))
    }
    await service.stop()
    return rows
  }
}
