import { build } from 'esbuild'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages of hundreds of small modules each, which would be most of what a process loads. */
const bundled = ['@sinclair/typebox', 'jose', 'kysely', 'uuid']

/** Programs that tests run in processes of their own. */
const programs = ['src/server.ts', 'dev/token.ts', 'test/dev/launch.ts']

/** The files of the suite, as paths from the project's folder. */
export async function testFiles (): Promise<string[]> {
  const names = await readdir(join(root, 'test'), { recursive: true })
  return names.filter(name => name.endsWith('.test.ts')).map(name => `test/${name.replaceAll('\\', '/')}`).sort()
}

/**
 * Compiles the test files and the programs into `folder`, where each has its path with .js for .ts: the suite starts
 * some two hundred processes, and compiling in each of them would be a third of what it costs.
 */
export async function compile (folder: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [...await testFiles(), ...programs],
    outbase: root,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [{
      name: 'project',
      setup (build) {
        build.onResolve({ filter: /^[a-z@]/ }, ({ path, kind }) => {
          const isOwn = kind === 'entry-point' || bundled.some(name => path === name || path.startsWith(`${name}/`))
          return isOwn ? undefined : { external: true }
        })
        // What the code finds beside itself lies beside its source.
        build.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
          loader: 'ts',
          contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        }))
      }
    }]
  })
}
