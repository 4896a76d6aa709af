import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A folder for each run of the suite that is under way, named after the process of its runner. */
const runsFolder = new URL('../.local/test-runs/', import.meta.url)

export interface TestServer {
  /** A database of the server to administer it from. */
  readonly url: string
  /** The migrated database that tests clone. */
  readonly template: string
}

/** The server that `test/before.ts` made ready for the run to which this process belongs. */
export function testServer (): TestServer {
  return JSON.parse(readFileSync(new URL('server.json', runFolder()), 'utf8')) as TestServer
}

/** Where `test/before.ts` put the compiled suite, an absolute path. */
export function compiledFolder (): string {
  return fileURLToPath(new URL('compiled', runFolder()))
}

/** Leaves word for the test files of this run; without a server it only says that there is a run. */
export function registerRun (server?: TestServer): void {
  mkdirSync(runFolder(), { recursive: true })
  if (server !== undefined) writeFileSync(new URL('server.json', runFolder()), JSON.stringify(server))
}

/** Ends this run's registration. */
export function forgetRun (): void {
  rmSync(runFolder(), { recursive: true, force: true })
}

/** Whether another run of the suite is under way in this folder; forgets those that were killed. */
export function hasOtherRuns (): boolean {
  return readdirSync(runsFolder).filter(name => {
    const pid = Number.parseInt(name)
    if (pid === runnerPid()) return false
    try {
      process.kill(pid, 0)
      return true
    } catch {
      rmSync(new URL(name, runsFolder), { recursive: true, force: true })
      return false
    }
  }).length > 0
}

/** For the environment of a process that belongs to this run but is no child of its runner. */
export function runEnvironment (): Record<string, string> {
  return { TEST_RUNNER: String(runnerPid()) }
}

/** Nothing in the environment of the tests comes from `test/before.ts`, but all of a run have the same parent. */
function runnerPid (): number {
  return Number(process.env['TEST_RUNNER'] ?? process.ppid)
}

function runFolder (): URL {
  return new URL(`${runnerPid()}/`, runsFolder)
}
