import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { startPostgres } from '../../dev/postgres.js'

// Every start loads the whole service anew, which a busy machine is slow at.
t.setTimeout(300_000)

const project = fileURLToPath(new URL('../../', import.meta.url))

// A copy of the project, so that the developer's own database stays untouched.
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'dev-')))
for (const name of ['package.json', 'tsconfig.json', 'src', 'dev', 'migrations']) cpSync(join(project, name), join(copy, name), { recursive: true })
symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
t.teardown(async () => {
  const server = await startPostgres({ directory: join(copy, '.local/postgres') })
  await server.stop()
  for (const path of [dirname(server.directory), copy]) rmSync(path, { recursive: true, force: true })
})

interface Running {
  readonly child: ChildProcess
  /** Everything that it has printed so far. */
  output (): string
  /** Resolves with the match once it has printed something that matches. */
  printed (pattern: RegExp): Promise<RegExpMatchArray>
  end (signal: NodeJS.Signals): Promise<number | null>
}

t.test('npm run dev serves demo data, prints calls that work, restarts on change, and keeps its data', async t => {
  const first = dev(t)
  await first.printed(/Ctrl-C/)
  const { address, calls } = readWelcome(first.output())
  t.equal((await fetch(`${address}/documentation`)).status, 200)

  const [anybody, user] = await Promise.all(calls.map(async line => await runCall(line))) as [Response, Response]
  t.match(await anybody.json(), { type: 'terms', version: '2.0.0' })
  t.match(await user.json(), { needsTermsAcceptance: true, userTermsVersion: '1.1.0' })
  const { admin, startup } = readTokens(first.output())
  for (const url of ['/legal/admin/documents', '/govintel/signals']) t.equal(await status(address + url, admin), 200, `the admin's token opens ${url}`)
  for (const url of ['/signal-pool', '/startup/signals']) t.equal(await status(address + url, startup), 200, `the startup's token opens ${url}`)

  const second = dev(t)
  await second.printed(/Ctrl-C/)
  const other = readWelcome(second.output())
  t.not(other.address, address)
  t.match(second.output(), /Port 3000 is taken by another program/)
  t.match(await (await runCall(other.calls[0] as string)).json(), { version: '2.0.0' }, 'two at once share the database')
  t.equal(await second.end('SIGTERM'), 0)
  t.match(second.output(), /The database goes on/)

  appendFileSync(join(copy, 'src', 'kernel', 'ids.ts'), '\n// changed\n')
  await first.printed(/src\/kernel\/ids\.ts changed/)
  await first.printed(/running again/)
  const accept = await fetch(`${address}/legal/accept`, {
    method: 'POST', headers: { authorization: `Bearer ${startup}`, 'content-type': 'application/json' }, body: '{"type":"terms"}'
  })
  t.equal(accept.status, 200)

  appendFileSync(join(copy, 'src', 'kernel', 'ids.ts'), '\nthrow new Error("half written")\n')
  await first.printed(/The service did not start/)
  cpSync(join(project, 'src'), join(copy, 'src'), { recursive: true })
  await first.printed(/did not start[^]*running again/)
  t.equal(await first.end('SIGINT'), 0)
  t.match(first.output(), /The database has stopped/)
  await t.rejects(fetch(address))

  const third = dev(t)
  await third.printed(/Ctrl-C/)
  t.match(await (await runCall(calls[1] as string, readWelcome(third.output()).address)).json(), { userTermsVersion: '1.1.0' }, 'a token of the first start still works')
  third.child.kill('SIGKILL')
  await untilGone(address)
  t.pass('the service ends when its watcher was killed')

  const fourth = dev(t, { args: ['--reset'] })
  await fourth.printed(/Ctrl-C/)
  t.match(await (await runCall(readWelcome(fourth.output()).calls[0] as string)).json(), { version: '2.0.0' }, 'emptied and filled anew')
  t.equal(await fourth.end('SIGINT'), 0)
  t.match(fourth.output(), /The database has stopped/)
})

t.test('one line says what is wrong with the environment', async t => {
  for (const [env, line] of [
    [{ JWT_SECRET: 'short' }, /^ *JWT_SECRET must have at least 32 bytes\n$/],
    [{ PORT: 'http' }, /^ *PORT .*\n$/],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/nothing' }, /ECONNREFUSED.*\n$/]
  ] as const) {
    const running = dev(t, { env })
    const [code] = await once(running.child, 'close')
    t.equal(code, 1)
    t.match(running.output(), line)
  }
})

function dev (t: Test, { args = [], env = {} }: { args?: string[], env?: Record<string, string> } = {}): Running {
  const child = spawn(process.execPath, ['--import', 'tsx', 'dev/main.ts', ...args], {
    cwd: copy, env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', chunk => { text += chunk })
  return {
    child,
    output: () => text,
    async printed (pattern) {
      for (;;) {
        const match = pattern.exec(text)
        if (match !== null) return match
        if (child.exitCode !== null) throw new Error(`It ended before it printed ${pattern}:\n${text}`)
        await pause(50)
      }
    },
    async end (signal) {
      const closed = once(child, 'close')
      child.kill(signal)
      const [code] = await closed
      return code
    }
  }
}

function readWelcome (output: string): { address: string, calls: string[] } {
  return { address: /Address +(\S+)/.exec(output)?.[1] as string, calls: output.match(/^curl .*$/gm) ?? [] }
}

function readTokens (output: string): { admin: string, startup: string } {
  const token = (name: string): string => new RegExp(`^ *${name} .*\n(eyJ\\S+)$`, 'm').exec(output)?.[1] as string
  return { admin: token('admin'), startup: token('startup') }
}

/** Does what the shell would do with a printed curl line, at another address if one is given. */
async function runCall (line: string, address?: string): Promise<Response> {
  const [, url, authorization] = /^curl (\S+)(?: -H 'Authorization: (.*)')?$/.exec(line) ?? []
  const target = new URL(url as string)
  return await fetch(address === undefined ? target : address + target.pathname, { headers: authorization === undefined ? {} : { authorization } })
}

async function status (url: string, token: string): Promise<number> {
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
}

async function untilGone (address: string): Promise<void> {
  while (await fetch(address).then(() => true, () => false)) await pause(50)
}
