import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** A server that runs as a process of its own. */
export interface Served {
  readonly port: number
  readonly pid: number
  /** Seconds of processor time that the process and its children have used; 0 where the system does not tell. */
  cpuSeconds (): number
  /** Resident memory in bytes of the process and each of its children. */
  memory (): number[]
  stop (): Promise<void>
}

export interface ServeOptions {
  readonly file: string
  readonly nodeOptions?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where its output goes; nowhere when absent. */
  readonly log?: string
  /** Answers below 500 when the server is ready. */
  readonly probe: string
  /** Not pinned to a core of its own. */
  readonly floating?: boolean
}

const ticksPerSecond = 100
const startDeadlineMs = 20_000

/** The core that servers get, and the one for the load; empty where nothing can be pinned. */
export const cores = canPin() ? { server: ['taskset', '-c', '0'], load: ['taskset', '-c', '1'] } : { server: [], load: [] }

function canPin (): boolean {
  if (process.platform !== 'linux' || availableParallelism() < 2) return false
  try {
    execFileSync('taskset', ['-c', '0,1', 'true'])
    return true
  } catch {
    return false
  }
}

/** Starts `command` behind its pin, when there is one. */
export function spawnPinned (pin: readonly string[], command: readonly string[], options: Parameters<typeof spawn>[2]): ChildProcess {
  const [program, ...args] = [...pin, ...command]
  return spawn(program as string, args, options)
}

/** Starts a server on a free port and waits until it answers. */
export async function serve ({ file, nodeOptions = [], env, log, probe, floating = false }: ServeOptions): Promise<Served> {
  const port = await freePort()
  const output = log === undefined ? 'ignore' as const : openSync(log, 'a')
  const { PATH = '' } = process.env
  const child = spawnPinned(floating ? [] : cores.server, [process.execPath, ...nodeOptions, file], {
    env: { PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', output, 'inherit']
  })
  const pid = child.pid as number
  const gone = new Promise<void>(resolve => { child.once('exit', () => { resolve() }) })
  const deadline = Date.now() + startDeadlineMs
  while (!await answers(port, probe)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${file} did not start`)
    await pause(50)
  }
  return {
    port,
    pid,
    cpuSeconds: () => processTree(pid).reduce((sum, each) => sum + cpuSecondsOf(each), 0),
    memory: () => processTree(pid).map(memoryOf),
    async stop () {
      child.kill('SIGTERM')
      await gone
    }
  }
}

async function answers (port: number, path: string): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}${path}`).then(response => response.status < 500, () => false)
}

function processTree (pid: number): number[] {
  if (process.platform !== 'linux') return [pid]
  const children = readdirSync(`/proc/${pid}/task`)
    .flatMap(task => read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number))
  return [pid, ...children.flatMap(processTree)]
}

function cpuSecondsOf (pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond
}

function memoryOf (pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
}

function read (file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function freePort (): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => { resolve(typeof address === 'object' && address !== null ? address.port : 0) })
    })
  })
}
