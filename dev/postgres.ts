import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chown, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { joinServer, type Membership } from './postgres-membership.js'
import { type Place, preparePlace } from './postgres-place.js'
import { findPostmaster, forgetReusedPid, isPostmaster, type Postmaster, signalPostmaster } from './postgres-process.js'

/** A real PostgreSQL on 127.0.0.1 that outlives this process unless it is stopped. */
export interface PostgresServer {
  /** Of the database `postgres`, as its superuser, without a password. */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** The cluster's own folder. */
  readonly directory: string
  /** Whether it was running already. */
  readonly adopted: boolean
  /** `fast` undoes what is under way, `immediate` is a crash. Resolves when the server is gone, also if it was before. */
  stop (mode?: 'fast' | 'immediate'): Promise<void>
  /** Stops unless somebody else is connected or has started it too; tells whether it stopped. */
  stopIfIdle (): Promise<boolean>
}

export interface PostgresOptions {
  /** Made when absent. What is stored is kept from start to start; root's data lie elsewhere, see preparePlace. */
  readonly directory: string
  /** Server settings by name, such as `{ max_connections: '200' }`; not applied to a server that is running already. */
  readonly settings?: Readonly<Record<string, string>>
  /** A free one is chosen when absent. */
  readonly port?: number
}

const deadlineMs = 60_000
const attempts = 6
const run = promisify(execFile)

/**
 * Starts the embedded PostgreSQL of `directory`, or joins the one that runs there; any number of processes may do so at
 * once. Throws an error that says to set DATABASE_URL when there is none for this platform, and one with the end of
 * the server's log when it does not start.
 */
export async function startPostgres (options: PostgresOptions): Promise<PostgresServer> {
  await mkdir(options.directory, { recursive: true })
  const directory = await realpath(options.directory)
  const place = await preparePlace(directory)
  const cluster = await makeCluster(place)
  const log = join(directory, 'postgres.log')
  const deadline = Date.now() + deadlineMs
  let failures = 0
  let started: number | undefined
  while (Date.now() < deadline) {
    const running = await findPostmaster(cluster)
    if (running === undefined) {
      // A killed server's last processes may hold its memory for a moment, and a port may be taken just before us.
      if (failures > 0) await pause(25 * 2 ** failures)
      started = await launch(place, cluster, log, options)
      if (started === undefined && await findPostmaster(cluster) === undefined) failures++
      if (failures === attempts) break
      continue
    }
    const membership = running.ready ? await joinServer(running.port, cluster) : undefined
    if (membership !== undefined) return describe(place, running, cluster, running.pid !== started, membership)
    await pause(20)
  }
  const lines = (await readFile(log, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-8)
  throw new Error(`PostgreSQL did not start in ${cluster}. The end of its log:\n${lines.join('\n')}`)
}

/** Returns the cluster's folder, made by initdb when it is not there yet. */
async function makeCluster ({ binaries, home, account }: Place): Promise<string> {
  // A cluster belongs to one major version.
  const cluster = join(await realpath(home), `data-${Number.parseInt(binaries.version)}`)
  if (await stat(join(cluster, 'PG_VERSION')).then(() => true, () => false)) return cluster
  const unfinished = `${cluster}.${process.pid}.${randomUUID()}`
  await removeUnfinished(home, `data-${Number.parseInt(binaries.version)}.`)
  await mkdir(unfinished, { mode: 0o700 })
  if (account !== undefined) await chown(unfinished, account.uid, account.gid)
  await run(binaries.initdb, [
    '-D', unfinished, '-U', 'postgres', '--auth=trust', '--encoding=UTF8',
    '--locale-provider=builtin', '--builtin-locale=C.UTF-8', ...libcLocale(), '--no-sync', '--no-instructions'
  ], { cwd: home, env: environment(), ...account }).catch(error => { throw cannotRun(error) })
  try {
    await rename(unfinished, cluster)
  } catch (error) {
    // Another start was first; a folder that is not empty is never replaced.
    await rm(unfinished, { recursive: true, force: true })
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  return cluster
}

/** Starts a postmaster and returns its pid when it accepts connections, undefined when it ended before. */
async function launch (place: Place, cluster: string, log: string, options: PostgresOptions): Promise<number | undefined> {
  const settings: Record<string, string> = {
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...options.settings,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(options.port ?? await freePort())
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  await forgetReusedPid(cluster)
  const output = await open(log, 'w')
  try {
    const child = spawn(place.binaries.postgres, ['-D', cluster, ...args], {
      cwd: place.home,
      env: environment(),
      // A group of its own: Ctrl-C in the terminal is for the service, which needs its database to drain.
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
      ...place.account
    })
    // Its reason is in no log: the program could not even be run.
    if (child.pid === undefined) throw cannotRun(await once(child, 'error').then(([error]) => error))
    child.unref()
    while (child.exitCode === null && child.signalCode === null) {
      const running = await findPostmaster(cluster)
      if (running?.ready === true && running.pid === child.pid) return child.pid
      await pause(10)
    }
    return undefined
  } finally {
    await output.close()
  }
}

function describe ({ binaries }: Place, running: Postmaster, cluster: string, adopted: boolean, membership: Membership): PostgresServer {
  const { pid, port } = running
  const stop = async (mode: 'fast' | 'immediate' = 'fast'): Promise<void> => {
    if (await isPostmaster(pid, cluster)) await signalPostmaster(pid, mode, binaries.root)
    const deadline = Date.now() + deadlineMs
    while (await isPostmaster(pid, cluster)) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${pid}) does not stop`)
      await pause(10)
    }
    membership.leave()
  }
  return {
    url: membership.url,
    port,
    pid,
    directory: cluster,
    adopted,
    stop,
    async stopIfIdle () {
      if (!await isPostmaster(pid, cluster)) return true
      return await membership.whenLast(async () => { await stop() })
    }
  }
}

function cannotRun (error: unknown): Error {
  const reason = error instanceof Error ? error.message.trimEnd() : String(error)
  return new Error(`The embedded PostgreSQL does not run here, set DATABASE_URL to use a server of your own: ${reason}`)
}

async function removeUnfinished (home: string, prefix: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(prefix)) continue
    try {
      process.kill(Number.parseInt(name.slice(prefix.length)), 0)
    } catch {
      await rm(join(home, name), { recursive: true, force: true })
    }
  }
}

/** Nothing of the caller's: its secrets are no business of the server. */
function environment (): NodeJS.ProcessEnv {
  const names = ['PATH', 'SystemRoot', 'TEMP', 'TMPDIR']
  return Object.fromEntries(names.flatMap(name => process.env[name] === undefined ? [] : [[name, process.env[name]]]))
}

/** Letters beyond ASCII are letters (to pg_trgm too) only where the C library's locale says so. */
function libcLocale (): string[] {
  if (process.platform === 'win32') return []
  return [`--locale=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`]
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
