import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { adminEmail, secret } from '../helper.js'
import { compiledFolder } from '../server.js'

/** A line of the service's log. */
export interface LogLine {
  readonly msg: string
  readonly pid: number
  readonly [name: string]: unknown
}

/** The service as operators run it: a process of its own. */
export interface Service {
  readonly child: ChildProcess
  readonly base: string
  readonly lines: LogLine[]
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  output (): string
}

/** Starts `src/server.ts`, on a port of its own unless `PORT` is given, and waits until it answers; the test's end kills it. */
export async function startService (t: Test, env: Record<string, string>): Promise<Service> {
  const service = spawnService(t, { PORT: '0', ...env })
  const deadline = Date.now() + 60_000
  for (;;) {
    // By its own word: on a port that somebody else had taken meanwhile, somebody else would answer.
    const port = service.lines.map(({ msg }) => /^Server listening at .*:(\d+)$/.exec(msg)?.[1]).find(found => found !== undefined)
    const base = `http://127.0.0.1:${port}`
    if (port !== undefined && await fetch(`${base}/health/live`).then(answer => answer.ok, () => false)) return { ...service, base }
    if (Date.now() > deadline || service.child.exitCode !== null) throw new Error(`The service does not listen:\n${service.output()}`)
    await pause(25)
  }
}

/** Starts `src/server.ts` without waiting for anything. */
export function spawnService (t: Test, env: Record<string, string>): Omit<Service, 'base'> {
  const folder = compiledFolder()
  const child = spawn(process.execPath, [join(folder, 'src', 'server.js')], {
    // Away from a developer's .env file.
    cwd: folder,
    env: { PATH: process.env['PATH'], JWT_SECRET: secret, ADMIN_EMAILS: adminEmail, DRAIN_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const lines: LogLine[] = []
  let output = ''
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) lines.push(JSON.parse(part) as LogLine)
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { output += chunk })
  const ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals | null)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, lines, ended, output: () => output }
}

/** A port that nothing listens on, and none of those that the system gives away by itself meanwhile. */
export async function freePort (): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(() => true, () => false)
    server.close()
    if (isFree) return port
  }
}

/** Waits until `check` holds; throws after `timeoutMs`. */
export async function until (what: string, check: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!await check()) {
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`)
    await pause(20)
  }
}
