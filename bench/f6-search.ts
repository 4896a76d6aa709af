import { startups } from './callers.js'
import { median } from './load.js'
import { type Context, type Measure, ratioRow } from './measure.js'
import type { Served } from './process.js'
import { compare, type Side } from './rounds.js'
import { word } from './seed/signals.js'

/** F6: the pool searched through the index, against the same service on connections that may not use it. */
export const search: Measure = {
  id: 'F6',
  title: 'Pool search over 10^5 signals against a sequential scan',
  async run (context) {
    const database = await context.database(1e4)
    const indexed = await context.service(database)
    // Without bitmap scans the trigram index is out of reach, and all others stay.
    const scanning = await context.service(`${database}?options=${encodeURIComponent('-c enable_bitmapscan=off')}`)
    for (const served of [indexed, scanning]) await timing(context, served, `/signal-pool?search=${word(19_001)}`, 30)()
    const rows = []
    for (const [name, text] of [
      ['part of a word', word(15_001).slice(2, 7)],
      ['a word', word(4000)],
      ['a word', word(19_000)],
      ['three letters', word(300)],
      ['three letters', word(15_003).slice(-3)]
    ] as const) {
      const path = `/signal-pool?search=${text}`
      // How many times as fast: the scan's time is the dividend.
      const found = await compare(context.rounds, timing(context, scanning, path, 5), timing(context, indexed, path, 20))
      const count = await matching(context, database, text)
      rows.push(ratioRow('F6', `pool search, ${name} in ${share(count)} of the pool, scan : index`, { at: 'least', value: 20 }, found,
        `"${text}" in ${count} signals: ${found.ours.toFixed(1)} vs ${found.yardstick.toFixed(2)} ms`))
    }
    for (const text of ['q', 'qu']) {
      const path = `/signal-pool?search=${text}`
      const found = await compare(context.rounds, timing(context, indexed, path, 5), timing(context, scanning, path, 5))
      rows.push(ratioRow('F6', `pool search, ${text.length} character${text.length > 1 ? 's' : ''}, as shipped : scan`, { at: 'most', value: 1.5 }, found,
        `"${text}": ${found.ours.toFixed(1)} vs ${found.yardstick.toFixed(1)} ms`))
    }
    await indexed.stop()
    await scanning.stop()
    return rows
  }
}

function timing (context: Context, served: Served, path: string, requests: number): Side {
  return async () => median(await context.load.run({ kind: 'sequence', port: served.port, requests, recipe: { paths: [path], callers: startups(1) } }))
}

/** Of the nine signals in ten that the seed publishes. */
function share (count: number): string {
  return `${Number((count / 900).toPrecision(1))} %`
}

async function matching ({ query }: Context, database: string, text: string): Promise<number> {
  const [row] = await query<{ count: string }>(database, `select count(*) from signals where is_public and search_text like '%${text}%'`)
  return Number(row?.count)
}
