import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** A file for each run of the suite that is under way, named after the process of its runner. */
const runsFolder = new URL('../.local/test-runs/', import.meta.url)

export interface TestServer {
  /** A database of the server to administer it from. */
  readonly url: string
  /** The migrated database that tests clone. */
  readonly template: string
}

/** The server that `test/before.ts` made ready for the run to which this process belongs. */
export function testServer (): TestServer {
  return JSON.parse(readFileSync(runFile(), 'utf8')) as TestServer
}

/** Leaves word for the test files of this run; without a server it only says that there is a run. */
export function registerRun (server?: TestServer): void {
  mkdirSync(runsFolder, { recursive: true })
  writeFileSync(runFile(), JSON.stringify(server ?? null))
}

/** Ends this run's registration. */
export function forgetRun (): void {
  rmSync(runFile(), { force: true })
}

/** Whether another run of the suite is under way in this folder; forgets those that were killed. */
export function hasOtherRuns (): boolean {
  return readdirSync(runsFolder).filter(name => {
    const pid = Number.parseInt(name)
    if (pid === process.ppid) return false
    try {
      process.kill(pid, 0)
      return true
    } catch {
      rmSync(new URL(name, runsFolder), { force: true })
      return false
    }
  }).length > 0
}

/** Nothing in the environment of the tests comes from `test/before.ts`, but all of a run have the same parent. */
function runFile (): URL {
  return new URL(`${process.ppid}.json`, runsFolder)
}
