import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where everything lies that development leaves on this machine. */
export const localFolder = fileURLToPath(new URL('../.local/', import.meta.url))

/** The secret that signs tokens of `npm run dev`, made once, so that they work over restarts; readable by its owner only. */
export async function developmentSecret (folder = localFolder): Promise<string> {
  const file = join(folder, 'jwt-secret')
  const known = await read(file)
  if (known !== undefined) return known
  await mkdir(folder, { recursive: true })
  const fresh = `${file}.${randomUUID()}`
  await writeFile(fresh, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    // Complete or not there at all, and never over the one of another start.
    await link(fresh, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(fresh)
  }
  return await read(file) as string
}

async function read (file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
