import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const intervalMs = 300
const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Calls `onChange` with the paths (from the project's folder) of files in `folders` that were changed, added or removed,
 * and waits for it before it looks again. Returns the function that ends it. It asks for the files' times, which
 * works with every editor, in containers and on network drives, where notifications get lost.
 */
export function watchFiles (folders: readonly string[], onChange: (paths: string[]) => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined
  let ended = false
  let known: Map<string, string> | undefined
  const look = async (): Promise<void> => {
    const found = await fileTimes(folders)
    const changed = known === undefined ? [] : differences(known, found)
    known = found
    if (changed.length > 0) await onChange(changed)
    if (!ended) timer = setTimeout(look, intervalMs)
  }
  timer = setTimeout(look, 0)
  return () => {
    ended = true
    clearTimeout(timer)
  }
}

async function fileTimes (folders: readonly string[]): Promise<Map<string, string>> {
  const times = new Map<string, string>()
  for (const folder of folders) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      const path = join(root, folder, name)
      // It may be gone between the two calls.
      const file = await stat(path).catch(() => undefined)
      if (file?.isFile() === true) times.set(relative(root, path), `${file.mtimeMs} ${file.size}`)
    }
  }
  return times
}

function differences (before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter(path => before.get(path) !== after.get(path))
}
