import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildImage } from './image/build.js'
import { inspect, sizeOf, tryOut } from './image/trial.js'
import { choosePort } from './port.js'
import { startPostgres } from './postgres.js'
import { localFolder } from './secret.js'

// Checks the Dockerfile without a container engine: runs its very steps in folders and the service that comes out of them.
const context = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'image-'))
const startedAt = Date.now()
const say = (text: string): void => { console.log(`[${((Date.now() - startedAt) / 1000).toFixed(1)} s] ${text}`) }

try {
  // The account that the service runs under has to get in.
  chmodSync(folder, 0o755)
  const image = buildImage({ context, folder, onStep: say })
  inspect(image, readFileSync(join(context, 'package-lock.json'), 'utf8'))
  if (!image.ports.includes(image.env['PORT'] ?? '')) throw new Error('Dockerfile: EXPOSE does not say PORT')
  say(`${sizeOf(image.root).toFixed(1)} MB on top of node:${image.nodeMajor}-slim, tried with Node ${process.version}`)

  const postgres = await startPostgres({ directory: join(localFolder, 'image-postgres') })
  try {
    await tryOut(image, {
      DATABASE_URL: postgres.url, JWT_SECRET: randomBytes(32).toString('hex'), PORT: await choosePort('0.0.0.0', '0'), DRAIN_MS: '100'
    }, say)
  } finally {
    await postgres.stop('immediate')
    rmSync(postgres.directory, { recursive: true, force: true })
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
