import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('service.ts', import.meta.url))
const root = fileURLToPath(new URL('../', import.meta.url))
const stopMs = 30_000

/** The service in a process of its own, started and stopped again and again. */
export class ServiceRunner {
  readonly #env: NodeJS.ProcessEnv
  readonly #liveUrl: string
  readonly #onEnd: (reason: string) => void
  #child: ChildProcess | undefined

  /** `onEnd` is told when a running service ends by itself; `liveUrl` answers 200 once it serves. */
  constructor (env: NodeJS.ProcessEnv, liveUrl: string, onEnd: (reason: string) => void) {
    this.#env = env
    this.#liveUrl = liveUrl
    this.#onEnd = onEnd
  }

  /** Resolves to true when the service answers, and to false when it ended before. */
  async start (): Promise<boolean> {
    const child = spawn(process.execPath, ['--import', 'tsx', program], {
      cwd: root,
      env: this.#env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // A group of its own: Ctrl-C is meant for the watching program, which lets the service drain.
      detached: process.platform !== 'win32'
    })
    this.#child = child
    const ended = once(child, 'exit').then(() => false)
    const ready = once(child, 'message').then(async () => await this.#answers(child))
    if (!await Promise.race([ended, ready])) return false
    child.once('exit', (code, signal) => {
      if (this.#child === child) this.#onEnd(signal ?? `code ${code}`)
    })
    return true
  }

  /** Lets the service drain, and kills it when it takes longer than 30 s. */
  async stop (): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || !isRunning(child)) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await exited
    clearTimeout(timer)
  }

  /** For those who cannot wait. */
  kill (): void {
    this.#child?.kill('SIGKILL')
  }

  async #answers (child: ChildProcess): Promise<boolean> {
    while (isRunning(child)) {
      if (await fetch(this.#liveUrl).then(response => response.ok, () => false)) return true
      await pause(25)
    }
    return false
  }
}

function isRunning (child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
