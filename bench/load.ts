import { fileURLToPath } from 'node:url'
import type { Order, Report } from './load/recipe.js'
import { cores, spawnPinned } from './process.js'

/** The load generator, alive between orders. */
export interface Load {
  run (order: Order): Promise<Report>
  stop (): void
}

const worker = fileURLToPath(new URL('../.local/bench/build/bench/load/worker.js', import.meta.url))

/** Starts the load generator, pinned away from the servers where that can be done. */
export function startLoad (): Load {
  const child = spawnPinned(cores.load, [process.execPath, worker], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    async run (order) {
      child.send(order)
      return await new Promise<Report>((resolve, reject) => {
        const onExit = (): void => { reject(new Error('The load generator ended')) }
        child.once('exit', onExit)
        child.once('message', (answer: { report?: Report, error?: string }) => {
          child.off('exit', onExit)
          if (answer.report !== undefined) resolve(answer.report)
          else reject(new Error(answer.error))
        })
      })
    },
    stop: () => { child.disconnect() }
  }
}

/** Answers a second that were one of `statuses` (2xx by default). */
export function rate (report: Report, accepts: (status: number) => boolean = isSuccess): number {
  return count(report, accepts) / report.seconds
}

/** How many answers had such a status. */
export function count (report: Report, accepts: (status: number) => boolean): number {
  return Object.entries(report.statuses).reduce((sum, [status, { count }]) => sum + (accepts(Number(status)) ? count : 0), 0)
}

/** The median time of the answers of one status, in milliseconds. Throws when another status came, too. */
export function median (report: Report, status = 200): number {
  requireOnly(report, status)
  return report.statuses[status]?.p50 ?? NaN
}

/** Throws when the run had other answers than these: such a figure would mean nothing. */
export function requireOnly (report: Report, ...statuses: number[]): void {
  const others = Object.entries(report.statuses).filter(([status]) => !statuses.includes(Number(status)))
  if (others.length > 0) {
    throw new Error(`Unexpected answers: ${others.map(([status, { count }]) => `${count} x ${status}`).join(', ')}`)
  }
}

function isSuccess (status: number): boolean {
  return status >= 200 && status < 300
}
