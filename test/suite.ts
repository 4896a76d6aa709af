import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { testFiles } from './compile.js'
import { compiledFolder, runEnvironment } from './server.js'

// All test files, each in a process of its own, as `test/before.ts` has compiled them.

/** Those that take long begin first, and those that mostly wait beside those that mostly work. */
const first = [
  'test/production/crash.test.ts',
  'test/production/faults.test.ts',
  'test/dev/main.test.ts',
  'test/production/identity.test.ts',
  'test/production/fuzz.test.ts',
  'test/production/instances.test.ts',
  'test/production/drain.test.ts'
]

/** What ends a file that hangs; on a busy machine the longest take many times their usual minute. */
const timeoutMs = 900_000

const names = await testFiles()
for (const name of first) if (!names.includes(name)) t.fail(`${name} does not exist`)
const order = [...first, ...names.filter(name => !first.includes(name))]

t.setTimeout(0)
t.jobs = availableParallelism() + 2
for (const name of order) {
  const file = join(compiledFolder(), name.replace(/ts$/, 'js'))
  // NODE_OPTIONS is where tap puts the loader of its mocks and coverage, which takes half a second of each process.
  t.spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', file], { buffered: true, timeout: timeoutMs, env: { ...process.env, ...runEnvironment() } }, name)
}
