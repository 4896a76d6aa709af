import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { developmentSecret } from '../../dev/secret.js'
import { secret, testApp } from '../helper.js'

const program = fileURLToPath(new URL('../../dev/token.ts', import.meta.url))

t.test('npm run token makes tokens that the service accepts', async t => {
  const server = await testApp(t)
  const status = async (args: string[]): Promise<[number, number]> => {
    const authorization = `Bearer ${token(args).stdout.trim()}`
    const answers = await Promise.all(['/legal/status', '/legal/admin/documents'].map(async url =>
      await server.app.inject({ url, headers: { authorization } })))
    return answers.map(answer => answer.statusCode) as [number, number]
  }
  t.same(await status([]), [200, 403])
  t.same(await status(['--as', 'admin']), [200, 200])
  t.same(await status(['--sub', 'x', '--email', 'admin@example.com', '--name', 'Ada de Groot']), [200, 200])
  t.same(await status(['--as', 'admin', '--email', 'other@example.com']), [200, 403])
  t.same(await status(['--expires', '0s']), [401, 401])
})

t.test('its claims are those of the options and of the configuration', t => {
  t.match(claims(token(['--sub', 'x', '--name', 'Ada de Groot', '--roles', 'admin, editor', '--startup', 's-1', '--expires', '2h'])), {
    sub: 'x', given_name: 'Ada', family_name: 'de Groot', roles: ['admin', 'editor'], startupId: 's-1'
  })
  const { iat, exp } = claims(token(['--expires', '2h'])) as { iat: number, exp: number }
  t.equal(exp - iat, 7200)
  t.match(claims(token(['--as', 'startup'], { JWT_ISSUER: 'https://issuer', JWT_AUDIENCE: 'us', JWT_ROLES_CLAIM: 'realm.roles', JWT_STARTUP_CLAIM: 'org' })), {
    sub: 'demo-startup', iss: 'https://issuer', aud: 'us', org: 'startup-aurora'
  })
  t.end()
})

t.test('it helps, and says what is wrong', t => {
  const help = token(['--help'])
  t.equal(help.status, 0)
  for (const option of ['--as', '--sub', '--email', '--name', '--roles', '--startup', '--expires']) t.match(help.stdout, option)
  t.match(token(['--expires', 'soon']), { status: 1, stdout: '', stderr: /^--expires must be .*\n.*--help/ })
  t.match(token(['--as', 'nobody']), { status: 1, stderr: /^--as must be one of admin, user, startup/ })
  t.match(token(['--unknown']), { status: 1, stderr: /--unknown/ })
  t.match(token([], { JWT_SECRET: '', JWT_JWKS_URL: 'https://idp.example/keys' }), { status: 1, stderr: /^JWT_JWKS_URL is set/ })
  t.end()
})

t.test('the development secret is made once and is for its owner only', async t => {
  const folder = join(t.testdir(), 'not', 'there')
  const secrets = await Promise.all([0, 1, 2, 3].map(async () => await developmentSecret(folder)))
  t.equal(new Set(secrets).size, 1)
  t.ok(Buffer.byteLength(secrets[0] as string) >= 32)
  t.equal(statSync(join(folder, 'jwt-secret')).mode & 0o777, 0o600)
  t.equal(await developmentSecret(folder), readFileSync(join(folder, 'jwt-secret'), 'utf8').trim())
  rmSync(join(folder, 'jwt-secret'))
  t.not(await developmentSecret(folder), secrets[0])
})

function token (args: string[], env: Record<string, string> = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, ['--import', 'tsx', program, ...args], {
    encoding: 'utf8', env: { PATH: process.env['PATH'], JWT_SECRET: secret, ...env }
  })
}

function claims ({ stdout }: SpawnSyncReturns<string>): Record<string, unknown> {
  return JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
}
