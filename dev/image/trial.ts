import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanEnvironment, type Image } from './build.js'

const startMs = 30_000
const endMs = 30_000

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean, readonly optional?: boolean, readonly version?: string }>>
}

/** Throws unless the image has what production needs and nothing else: no sources, tests, settings or tools. */
export function inspect (image: Image, projectLockfile: string): void {
  const folder = join(image.root, image.workdir)
  const names = readdirSync(folder).sort().join(', ')
  if (names !== 'dist, migrations, node_modules, package.json') throw new Error(`The image has ${names}`)
  const own = readdirSync(join(folder, 'dist'), { recursive: true, withFileTypes: true }).filter(entry => entry.isFile() && !/\.js(\.map)?$/.test(entry.name))
  if (own.length > 0) throw new Error(`The image has ${own.map(entry => entry.name).join(', ')} in dist`)
  const locked = JSON.parse(projectLockfile) as Lockfile
  const installed = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as Lockfile
  for (const [name, { version }] of Object.entries(installed.packages)) {
    const expected = locked.packages[name]
    if (expected === undefined || expected.version !== version) throw new Error(`The image has ${name} ${version}, which is not the one of package-lock.json`)
    if (expected.dev === true || expected.optional === true) throw new Error(`The image has ${name}, which is not for production`)
  }
}

/** Megabytes of a folder's files. */
export function sizeOf (folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile()).reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0) / 1e6
}

/**
 * Migrates, starts, probes and stops the service as a container of the image would, under an account other than root
 * where this process can choose. `env` is what an operator would give it. Throws at the first thing that is not as it should be.
 */
export async function tryOut (image: Image, env: Readonly<Record<string, string>>, onStep: (text: string) => void): Promise<void> {
  const options = {
    cwd: join(image.root, image.workdir),
    env: { PATH: cleanEnvironment()['PATH'] as string, ...image.env, ...env },
    ...(process.getuid?.() === 0 && { uid: Number(image.user), gid: Number(image.user) })
  }
  const migrate = (): string => {
    const { status, stdout, stderr } = spawnSync('node', ['dist/migrate.js'], { ...options, encoding: 'utf8' })
    if (status !== 0) throw new Error(`node dist/migrate.js ended with ${status}: ${stderr}`)
    return stdout.trim()
  }
  const isHealthy = (): boolean => {
    const [program = '', ...args] = image.healthcheck.command
    return spawnSync(program, args, { ...options, timeout: image.healthcheck.timeoutMs }).status === 0
  }

  onStep(migrate())
  if (migrate() !== 'The database is up to date.') throw new Error('Migrating twice is not the same as once')

  const [program = '', ...args] = image.command
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => { output += chunk })
  try {
    const deadline = Date.now() + startMs
    while (!isHealthy()) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The service does not become healthy:\n${output}`)
      await pause(200)
    }
    onStep('the health check succeeds')
    const base = `http://127.0.0.1:${env['PORT']}`
    for (const [path, status] of [['/health/ready', 200], ['/openapi.json', 200], ['/documentation/', 200], ['/legal/current/terms', 404], ['/legal/status', 401]] as const) {
      const answer = await fetch(base + path)
      if (answer.status !== status) throw new Error(`${path} is ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
    onStep('routes answer')
    const code = await stop(child)
    if (code !== 0) throw new Error(`SIGTERM ended the service with ${code}:\n${output}`)
    onStep('SIGTERM ends it with 0')
    if (isHealthy()) throw new Error('The health check succeeds without a service')
  } finally {
    child.kill('SIGKILL')
  }
}

async function stop (child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code)
  child.kill('SIGTERM')
  return await Promise.race([ended, pause(endMs, 'nothing, it runs on', { ref: false })])
}
