import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Facts } from './machine.js'
import { isMet, type Row, type Skipped } from './measure.js'
import { drawPicture } from './picture.js'

/** Writes `latest.json` and `latest.svg`, or `partial.*` when only some of the measures ran. */
export async function writeResults (
  folder: string, rows: ReadonlyArray<Row | Skipped>, facts: Facts, { complete }: { complete: boolean }
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const name = complete ? 'latest' : 'partial'
  const judged = rows.map(row => 'skipped' in row ? row : { ...row, met: isMet(row) })
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ facts, rows: judged }, null, 2)}\n`)
  await writeFile(join(folder, `${name}.svg`), drawPicture(rows.filter((row): row is Row => !('skipped' in row)), facts))
}
