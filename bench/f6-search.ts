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
    const rows = []
    for (const [name, text, goal] of [
      ['a rare word', word(19_000), 20],
      ['a word', word(4000), 20],
      ['part of a word', word(15_001).slice(2, 7), 20],
      ['three letters', word(15_003).slice(-3), 20]
    ] as const) {
      const path = `/signal-pool?search=${text}`
      // How many times as fast: the scan's time is the dividend.
      const found = await compare(context.rounds, timing(context, scanning, path, 5), timing(context, indexed, path, 20))
      rows.push(ratioRow('F6', `pool search, ${name}, scan : index`, { at: 'least', value: goal }, found,
        `"${text}" in ${await matching(context, database, text)} signals: ${found.ours.toFixed(1)} vs ${found.yardstick.toFixed(2)} ms`))
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

async function matching ({ query }: Context, database: string, text: string): Promise<number> {
  const [row] = await query<{ count: string }>(database, `select count(*) from signals where is_public and search_text like '%${text}%'`)
  return Number(row?.count)
}
