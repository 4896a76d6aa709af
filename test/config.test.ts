import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ConfigError, loadConfig } from '../src/config.js'
import { ec, ed25519, pem, rsa } from './auth/helper.js'

const secret = 'a secret of at least thirty-two bytes'
const minimal = { DATABASE_URL: 'postgres://user:pass-word@db.example:5432/legal', JWT_SECRET: secret }
const jwks = { JWT_SECRET: '', JWT_JWKS_URL: 'https://idp.example.com/keys', JWT_ISSUER: 'https://idp.example.com', JWT_AUDIENCE: 'legal' }

t.test('defaults', async t => {
  t.strictSame(loadConfig(minimal), {
    host: '127.0.0.1',
    port: 3000,
    basePath: '',
    database: { url: minimal.DATABASE_URL, poolMax: 10, statementTimeoutMs: 5000, prepared: true },
    tokens: { key: { kind: 'secret', secret }, rolesClaim: 'roles', startupClaim: 'startupId', adminEmails: [] },
    logLevel: 'info',
    corsOrigins: [],
    trustProxy: [],
    drainMs: 5000,
    instances: 1
  })
})

t.test('each variable is read', async t => {
  const rows: Array<[Record<string, string>, object]> = [
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ HOST: '::' }, { host: '::' }],
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65535 }],
    [{ BASE_PATH: '/api/v1' }, { basePath: '/api/v1' }],
    [{ DATABASE_URL: 'postgresql://db/legal' }, { database: { url: 'postgresql://db/legal' } }],
    [{ DATABASE_POOL_MAX: '1' }, { database: { poolMax: 1 } }],
    [{ DATABASE_STATEMENT_TIMEOUT_MS: '250' }, { database: { statementTimeoutMs: 250 } }],
    [{ DATABASE_PREPARED: 'false' }, { database: { prepared: false } }],
    [{ JWT_ISSUER: 'https://x/', JWT_AUDIENCE: 'y' }, { tokens: { issuer: 'https://x/', audience: 'y' } }],
    [{ JWT_ROLES_CLAIM: 'a.b', JWT_STARTUP_CLAIM: 'https://x/startup' }, { tokens: { rolesClaim: 'a.b', startupClaim: 'https://x/startup' } }],
    [{ ADMIN_EMAILS: ' A@Example.com,,b@example.com , ÄÖ@Example.com' }, { tokens: { adminEmails: ['a@example.com', 'b@example.com', 'ÄÖ@example.com'] } }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [{ CORS_ORIGINS: 'https://a.example, http://localhost:5173' }, { corsOrigins: ['https://a.example', 'http://localhost:5173'] }],
    [{ TRUST_PROXY: 'loopback, 10.0.0.0/8,::1' }, { trustProxy: ['loopback', '10.0.0.0/8', '::1'] }],
    [{ METRICS_PORT: '9100' }, { metricsPort: 9100 }],
    [{ DRAIN_MS: '0' }, { drainMs: 0 }],
    [{ INSTANCES: '4' }, { instances: 4 }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, { otlpEndpoint: 'http://collector:4318/' }],
    [{ JWT_SECRET: '', JWT_PUBLIC_KEY: pem(ed25519().publicKey).replaceAll('\n', '\\n') }, { tokens: { key: { kind: 'public-key', pem: /^-----BEGIN PUBLIC KEY-----\n/ } } }],
    [{ JWT_SECRET: '', JWT_PUBLIC_KEY: pem(rsa().publicKey) }, { tokens: { key: { kind: 'public-key' } } }],
    [{ JWT_SECRET: '', JWT_PUBLIC_KEY: pem(ec('P-521').publicKey) }, { tokens: { key: { kind: 'public-key' } } }],
    [{ JWT_SECRET: '', JWT_PUBLIC_KEY: rsa().publicKey.export({ type: 'pkcs1', format: 'pem' }) as string }, { tokens: { key: { kind: 'public-key' } } }],
    [{ JWT_SECRET: 'é'.repeat(16) }, { tokens: { key: { secret: 'é'.repeat(16) } } }],
    [jwks, { tokens: { key: { kind: 'jwks' }, issuer: jwks.JWT_ISSUER, audience: 'legal' } }],
    ...['http://127.0.0.1:8080/keys', 'http://localhost/keys', 'http://[::1]:1/keys', 'http://127.9.9.9/'].map((url): [Record<string, string>, object] =>
      [{ ...jwks, JWT_JWKS_URL: url }, { tokens: { key: { kind: 'jwks' } } }])
  ]
  for (const [env, expected] of rows) t.match(loadConfig({ ...minimal, ...env }), expected, Object.keys(env).join(', '))
})

t.test('an empty or blank variable counts as absent, an unknown one for nothing', async t => {
  t.strictSame(loadConfig({ ...minimal, PORT: '', HOST: ' ', METRICS_PORT: '', JWT_PUBLIC_KEY: '', LOG_LEVEL: undefined, NOTHING: 'x' }), loadConfig(minimal))
})

t.test('the configuration is frozen throughout', async t => {
  const config = loadConfig({ ...minimal, ADMIN_EMAILS: 'a@example.com' })
  for (const part of [config, config.database, config.tokens, config.tokens.key, config.tokens.adminEmails, config.corsOrigins]) t.ok(Object.isFrozen(part))
})

const privateKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const garbage = '-----BEGIN PUBLIC KEY-----\\nc2VjcmV0IGdhcmJhZ2U=\\n-----END PUBLIC KEY-----'
const integers = ['-1', '1.5', 'x', 'NaN', '99999999', '0x10', '1e1', '+1', '1 0', 'true']

const wrong: Record<string, Array<string | Record<string, string>>> = {
  PORT: [...integers, '65536'],
  METRICS_PORT: [...integers, '65536', '3000', { PORT: '8080', METRICS_PORT: '8080' }],
  DATABASE_POOL_MAX: [...integers, '0', '1001'],
  DATABASE_STATEMENT_TIMEOUT_MS: [...integers, '0', '99'],
  DRAIN_MS: integers,
  INSTANCES: [...integers, '0', '257'],
  DATABASE_PREPARED: ['yes', '1', '0', 'FALSE', 'off', 'null'],
  DATABASE_URL: ['', 'mysql://x', 'db.example/legal', 'postgres:', 'postgres://user:top-secret@[bad/legal', 'top-secret'],
  BASE_PATH: ['api', '/api/', '/', '//', '/a b', '/a?b', '/a#b', '/:id', '/*', '/a/../..%2f'],
  LOG_LEVEL: ['verbose', 'INFO', '30'],
  CORS_ORIGINS: ['*', 'app.example.com', 'https://a.example/', 'https://a.example/path', 'null', 'https://*.example.com', 'https://a.example;https://b.example', 'https://A.example'],
  TRUST_PROXY: ['true', '1', 'banana', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/0', '10.0.0.0/', '10.0.0.0/x', '10.0.0/8', '::1/129', 'loopback,nonsense'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector', '::'],
  JWT_SECRET: ['short-secret', 'x'.repeat(31), 'é'.repeat(15)],
  JWT_PUBLIC_KEY: ['top-secret', garbage, privateKey, '-----BEGIN PUBLIC KEY-----', '-----BEGIN CERTIFICATE-----', pem(generateKeyPairSync('x25519').publicKey),
    pem(ec('secp256k1').publicKey), pem(generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).publicKey)].map(JWT_PUBLIC_KEY => ({ JWT_SECRET: '', JWT_PUBLIC_KEY })),
  JWT_JWKS_URL: ['idp.example.com/keys', 'http://idp.example.com/keys', 'http://localhost.example.com/', 'http://127.0.0.1.example.com/', 'ftp://x/', 'file:///etc/passwd',
    'https://user:top-secret@idp.example.com/keys', '//idp.example.com'].map(JWT_JWKS_URL => ({ ...jwks, JWT_JWKS_URL })),
  JWT_ISSUER: [{ ...jwks, JWT_ISSUER: '' }],
  JWT_AUDIENCE: [{ ...jwks, JWT_AUDIENCE: ' ' }],
  'JWT_JWKS_URL, JWT_PUBLIC_KEY or JWT_SECRET': [{ JWT_SECRET: '' }, { JWT_SECRET: '   ' }],
  'JWT_JWKS_URL and JWT_SECRET': [{ ...jwks, JWT_SECRET: secret }],
  'JWT_PUBLIC_KEY and JWT_SECRET': [{ JWT_PUBLIC_KEY: garbage }],
  'JWT_JWKS_URL and JWT_PUBLIC_KEY and JWT_SECRET': [{ ...jwks, JWT_SECRET: secret, JWT_PUBLIC_KEY: garbage }]
}

for (const [name, values] of Object.entries(wrong)) {
  t.test(`a wrong ${name} stops the start with one line that names it and repeats no secret`, async t => {
    for (const value of values) {
      const given = typeof value === 'string' ? { [name]: value } : value
      let error: unknown
      try {
        loadConfig({ ...minimal, ...given })
      } catch (thrown) {
        error = thrown
      }
      const { message } = error as Error ?? {}
      t.ok(error instanceof ConfigError, `${JSON.stringify(given).slice(0, 80)} is refused`)
      t.ok(String(message).startsWith(name), message)
      t.notMatch(message, /\n/)
      t.notMatch(message, /top-secret|short-secret|pass-word|thirty-two|c2VjcmV0|é|xxxx/)
    }
  })
}

t.test('a missing DATABASE_URL is named', async t => {
  t.throws(() => loadConfig({ JWT_SECRET: secret }), { name: 'ConfigError', message: 'DATABASE_URL is required' })
})

const server = fileURLToPath(new URL('../src/server.ts', import.meta.url))

t.test('the start stops with exactly that line and exit code 1', async t => {
  for (const [env, line] of [[{}, 'DATABASE_URL is required'], [{ ...minimal, PORT: 'top-secret' }, 'PORT must be an integer in decimal digits']] as const) {
    // Elsewhere, so that a developer's .env plays no part.
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), server], {
      env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8', cwd: tmpdir()
    })
    t.strictSame({ status, stdout, stderr }, { status: 1, stdout: '', stderr: `${line}\n` })
  }
})
