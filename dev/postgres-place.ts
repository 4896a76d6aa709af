import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Binaries, completeBinaries, copyBinaries, findBinaries } from './postgres-binaries.js'

/** The account that PostgreSQL runs under; it refuses to run as root. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** What a server needs before it can start: programs that its account may run and a folder that it may write. */
export interface Place {
  readonly binaries: Binaries
  /** The cluster's folder is made in here; owned by the account. */
  readonly home: string
  /** Absent when the server runs as the user who starts it. */
  readonly account?: Account
}

const rootPlaces = ['/var/lib', '/var/tmp']
const projectName = 'legal-signals-dev'
const run = promisify(execFile)

/**
 * Prepares the place of the server that belongs to `directory` (which must exist). An ordinary user has everything in
 * there. For root it is a folder under /var/lib that an unprivileged account can reach, since the project may lie in a
 * home that is closed to others. Throws when no account or no safe folder is found.
 */
export async function preparePlace (directory: string): Promise<Place> {
  const binaries = await findBinaries()
  if (process.getuid?.() !== 0) {
    return { binaries: await completeBinaries(binaries, directory), home: directory }
  }
  const account = await findAccount()
  const shared = await makeSharedFolder()
  const key = createHash('sha256').update(await realpath(directory)).digest('hex').slice(0, 16)
  return {
    binaries: await copyBinaries(binaries, shared),
    home: await makeFolder(join(shared, key), 0o700, account),
    account
  }
}

async function findAccount (): Promise<Account> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(['-u', '-g'].map(async flag => Number((await run('id', [flag, name])).stdout)))
      if (uid !== undefined && gid !== undefined && uid > 0) return { uid, gid }
    } catch {
      continue
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no account "postgres" or "nobody" to run it under: set DATABASE_URL or start as an ordinary user')
}

async function makeSharedFolder (): Promise<string> {
  for (const parent of rootPlaces) {
    try {
      return await makeFolder(join(parent, projectName), 0o755, { uid: 0, gid: 0 })
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  throw new Error(`No folder for PostgreSQL can be made in ${rootPlaces.join(' or ')}: set DATABASE_URL or start as an ordinary user`)
}

/** A folder of that owner and mode; one made by somebody else, in a place open to all, is refused. */
async function makeFolder (path: string, mode: number, owner: Account): Promise<string> {
  try {
    await mkdir(path)
    await chmod(path, mode)
    await chown(path, owner.uid, owner.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // Another start may be between mkdir and chown.
  for (let attempt = 0; ; attempt++) {
    const found = await lstat(path)
    if (found.isDirectory() && found.uid === owner.uid && (found.mode & 0o022) === 0) return path
    if (attempt === 10) throw new Error(`${path} is not a folder of the account ${owner.uid}: remove it`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
