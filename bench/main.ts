import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { makeContext } from './context.js'
import { measures } from './measures.js'
import { type Row, type Skipped } from './measure.js'
import { machineFacts } from './machine.js'
import { findServer } from './server.js'
import { printTable } from './table.js'
import { writeResults } from './results.js'

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1e4' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    results: { type: 'string', default: fileURLToPath(new URL('results/', import.meta.url)) }
  }
})
const scale = Number(values.scale)
if (![1e4, 1e5, 1e6, 1e7].includes(scale)) throw new Error('--scale must be 1e4, 1e5, 1e6 or 1e7')
const only = values.only.split(',').map(id => id.trim().toUpperCase()).filter(id => id !== '')
const chosen = measures.filter(measure => only.length === 0 || only.includes(measure.id))
if (chosen.length === 0) throw new Error(`--only must name some of ${measures.map(({ id }) => id).join(', ')}`)
const tell = (text: string): void => { console.error(text) }

await build()
const server = await findServer()
const { context, close } = makeContext(server.url, { scale, rounds: Number(values.rounds), seconds: Number(values.seconds), tell })
const rows: Array<Row | Skipped> = []
try {
  for (const measure of chosen) {
    tell(`${measure.id}  ${measure.title}`)
    rows.push(...await measure.run(context).catch((error: Error) => {
      tell(`${measure.id}  failed: ${error.message}`)
      return [{ id: measure.id, measure: measure.title, skipped: `failed: ${error.message}` }]
    }))
  }
  // They run in an order of their own, what reads before what writes.
  rows.sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))
  const facts = await machineFacts(context, server.url)
  printTable(rows, facts)
  await writeResults(values.results, rows, facts, { complete: only.length === 0 })
} finally {
  await close()
  await server.stop()
}

/** The service as it ships, and this folder's servers and load generator, none of them through a loader. */
async function build (): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  mkdirSync(new URL('../.local/bench', import.meta.url), { recursive: true })
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
  await Promise.all(['tsconfig.build.json', 'bench/tsconfig.json'].map(async project =>
    await promisify(execFile)(process.execPath, [compiler, '-p', project], { cwd: root })))
}
