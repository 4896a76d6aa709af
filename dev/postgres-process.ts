import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A running postmaster as its own file describes it. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly ready: boolean
}

const run = promisify(execFile)

/** The postmaster that runs on this cluster, or undefined: a file left behind by a killed one does not count. */
export async function findPostmaster (cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  // Lines: pid, cluster, start time, port, socket folder, address, shared memory, status.
  const lines = text.split('\n').map(line => line.trim())
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 1 || !await isPostmaster(pid, cluster)) return undefined
  return { pid, port: Number(lines[3] ?? 0), ready: lines[7] === 'ready' }
}

/** Whether a process of that number is alive and serves this cluster; the number may have been given to another. */
export async function isPostmaster (pid: number, cluster: string): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const command = await commandLine(pid)
  return command === undefined || command.includes(cluster)
}

/**
 * Removes a killed postmaster's file when its process number now belongs to another program: PostgreSQL would take that
 * one for its own and never start again.
 */
export async function forgetReusedPid (cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid')
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''))
  if (Number.isNaN(pid) || await isPostmaster(pid, cluster)) return
  await rm(file, { force: true })
}

/** Asks a postmaster to end: `fast` undoes what is under way, `immediate` is a crash. A process that is gone is no error. */
export async function signalPostmaster (pid: number, mode: 'fast' | 'immediate', binaries: string): Promise<void> {
  const name = mode === 'fast' ? 'INT' : 'QUIT'
  // Windows has no signals, and ending the process would leave its children behind.
  if (process.platform === 'win32') {
    await run(join(binaries, 'bin', 'pg_ctl.exe'), ['kill', name, String(pid)])
    return
  }
  try {
    process.kill(pid, `SIG${name}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Empty for a zombie or a process that is gone; undefined where the system does not tell. */
async function commandLine (pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (process.platform === 'win32') return undefined
  return await run('ps', ['-o', 'command=', '-p', String(pid)]).then(result => result.stdout, () => '')
}
