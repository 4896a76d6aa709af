import { Type, type Static } from '@sinclair/typebox'
import { envSchema, type EnvSchemaData } from 'env-schema'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'

const Port = Type.Integer({ minimum: 0, maximum: 65535 })

/** The environment as it is read: names and defaults of the contract's configuration table. */
const Environment = Type.Object({
  HOST: Type.String({ default: '127.0.0.1' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000 }),
  BASE_PATH: Type.String({ default: '', pattern: '^(/[A-Za-z0-9._~-]+)*$' }),
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://' }),
  DATABASE_POOL_MAX: Type.Integer({ minimum: 1, maximum: 1000, default: 10 }),
  DATABASE_STATEMENT_TIMEOUT_MS: Type.Integer({ minimum: 100, maximum: 600_000, default: 5000 }),
  DATABASE_PREPARED: Type.Boolean({ default: true }),
  JWT_JWKS_URL: Type.Optional(Type.String()),
  JWT_PUBLIC_KEY: Type.Optional(Type.String()),
  JWT_SECRET: Type.Optional(Type.String()),
  JWT_ISSUER: Type.Optional(Type.String()),
  JWT_AUDIENCE: Type.Optional(Type.String()),
  JWT_ROLES_CLAIM: Type.String({ default: 'roles' }),
  JWT_STARTUP_CLAIM: Type.String({ default: 'startupId' }),
  ADMIN_EMAILS: Type.String({ default: '' }),
  LOG_LEVEL: Type.String({ enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], default: 'info' }),
  CORS_ORIGINS: Type.String({ default: '' }),
  TRUST_PROXY: Type.String({ default: '' }),
  METRICS_PORT: Type.Optional(Port),
  DRAIN_MS: Type.Integer({ minimum: 0, maximum: 600_000, default: 5000 }),
  INSTANCES: Type.Integer({ minimum: 1, maximum: 256, default: 1 }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String())
})
type Environment = Static<typeof Environment>

/** How tokens are verified: exactly one kind of key. */
export type TokenKey =
  | { readonly kind: 'jwks', readonly url: URL }
  | { readonly kind: 'public-key', readonly pem: string }
  | { readonly kind: 'secret', readonly secret: string }

export interface DatabaseConfig {
  readonly url: string
  readonly poolMax: number
  readonly statementTimeoutMs: number
  readonly prepared: boolean
}

export interface TokenConfig {
  readonly key: TokenKey
  readonly issuer?: string
  readonly audience?: string
  readonly rolesClaim: string
  readonly startupClaim: string
  /** Lower-cased (ASCII) addresses of the legal area's admins. */
  readonly adminEmails: readonly string[]
}

export interface Config {
  readonly host: string
  readonly port: number
  readonly basePath: string
  readonly database: DatabaseConfig
  readonly tokens: TokenConfig
  readonly logLevel: string
  readonly corsOrigins: readonly string[]
  readonly trustProxy: readonly string[]
  readonly metricsPort?: number
  readonly drainMs: number
  readonly instances: number
  readonly otlpEndpoint?: string
}

/** The start must stop here: `message` is one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Validates an environment and returns the frozen configuration. An empty variable counts as absent.
 * Throws ConfigError naming the variable that is wrong or missing (contract: Configuration).
 */
export function loadConfig (env: Record<string, string | undefined>): Config {
  const values = readEnvironment(env)
  if (values.METRICS_PORT === values.PORT && values.PORT !== 0) throw new ConfigError('METRICS_PORT must differ from PORT')
  return deepFreeze({
    host: values.HOST,
    port: values.PORT,
    basePath: values.BASE_PATH,
    database: {
      url: checkUrl('DATABASE_URL', values.DATABASE_URL).href,
      poolMax: values.DATABASE_POOL_MAX,
      statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
      prepared: values.DATABASE_PREPARED
    },
    tokens: {
      key: readTokenKey(values),
      ...(values.JWT_ISSUER !== undefined && { issuer: values.JWT_ISSUER }),
      ...(values.JWT_AUDIENCE !== undefined && { audience: values.JWT_AUDIENCE }),
      rolesClaim: values.JWT_ROLES_CLAIM,
      startupClaim: values.JWT_STARTUP_CLAIM,
      adminEmails: list(values.ADMIN_EMAILS).map(asciiLowerCase)
    },
    logLevel: values.LOG_LEVEL,
    corsOrigins: list(values.CORS_ORIGINS).map(checkOrigin),
    trustProxy: list(values.TRUST_PROXY).map(checkProxy),
    ...(values.METRICS_PORT !== undefined && { metricsPort: values.METRICS_PORT }),
    drainMs: values.DRAIN_MS,
    instances: values.INSTANCES,
    ...(values.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && {
      otlpEndpoint: checkUrl('OTEL_EXPORTER_OTLP_ENDPOINT', values.OTEL_EXPORTER_OTLP_ENDPOINT).href
    })
  })
}

/** Lower-cases A-Z only: other scripts' look-alikes must never fold onto an ASCII address. */
export function asciiLowerCase (text: string): string {
  return text.replace(/[A-Z]/g, letter => letter.toLowerCase())
}

function readEnvironment (env: Record<string, string | undefined>): Environment {
  const present: EnvSchemaData = {}
  for (const [name, { type }] of Object.entries(Environment.properties)) {
    const value = env[name]?.trim() ?? ''
    if (value === '') continue
    // Ajv would take 0x10 and 1e1 for numbers.
    if (type === 'integer' && !/^\d+$/.test(value)) throw new ConfigError(`${name} must be an integer in decimal digits`)
    present[name] = value
  }
  try {
    return envSchema<Environment>({ schema: Environment, data: present, env: false })
  } catch (error) {
    throw new ConfigError(describe(error))
  }
}

/** Never repeats the value: it may be a secret. */
function describe (error: unknown): string {
  const first = (error as { errors?: Array<{ instancePath: string, message?: string, params: Record<string, unknown> }> }).errors?.[0]
  if (first === undefined) return String(error)
  if (typeof first.params['missingProperty'] === 'string') return `${first.params['missingProperty']} is required`
  const allowed = first.params['allowedValues']
  const hint = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''
  return `${first.instancePath.slice(1)} ${first.message ?? 'is invalid'}${hint}`
}

function readTokenKey (values: Environment): TokenKey {
  const given = (['JWT_JWKS_URL', 'JWT_PUBLIC_KEY', 'JWT_SECRET'] as const).filter(name => values[name] !== undefined)
  if (given.length === 0) throw new ConfigError('JWT_JWKS_URL, JWT_PUBLIC_KEY or JWT_SECRET is required')
  if (given.length > 1) throw new ConfigError(`${given.join(' and ')} are set: exactly one of them may be`)
  if (values.JWT_JWKS_URL !== undefined) {
    for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE'] as const) {
      if (values[name] === undefined) throw new ConfigError(`${name} is required with JWT_JWKS_URL`)
    }
    return { kind: 'jwks', url: checkKeySetUrl(values.JWT_JWKS_URL) }
  }
  if (values.JWT_PUBLIC_KEY !== undefined) {
    const pem = values.JWT_PUBLIC_KEY.replaceAll('\\n', '\n')
    if (!isUsableKey(pem)) throw new ConfigError('JWT_PUBLIC_KEY must be an RSA, EC (P-256, P-384, P-521) or EdDSA public key in PEM form')
    return { kind: 'public-key', pem }
  }
  const secret = values.JWT_SECRET as string
  if (Buffer.byteLength(secret) < 32) throw new ConfigError('JWT_SECRET must have at least 32 bytes')
  return { kind: 'secret', secret }
}

const curves = ['prime256v1', 'secp384r1', 'secp521r1']

/** Whether one of the allowed algorithms can use the key. A private key is refused: it has no business here. */
function isUsableKey (pem: string): boolean {
  if (!/-----BEGIN (RSA )?PUBLIC KEY-----/.test(pem)) return false
  let key: KeyObject
  try {
    key = createPublicKey(pem)
  } catch {
    return false
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  return ['rsa', 'ed25519', 'ed448'].includes(type ?? '') || (type === 'ec' && curves.includes(details?.namedCurve ?? ''))
}

function checkUrl (name: string, value: string): URL {
  try {
    return new URL(value)
  } catch {
    throw new ConfigError(`${name} must be a URL`)
  }
}

function checkKeySetUrl (value: string): URL {
  const url = checkUrl('JWT_JWKS_URL', value)
  if (url.username !== '' || url.password !== '') throw new ConfigError('JWT_JWKS_URL must not have a user or password')
  const loopback = ['localhost', '[::1]'].includes(url.hostname) || /^127\.\d+\.\d+\.\d+$/.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) return url
  throw new ConfigError('JWT_JWKS_URL must be https, or http on loopback')
}

function checkOrigin (origin: string): string {
  if (checkUrl('CORS_ORIGINS', origin).origin === origin && !origin.includes('*')) return origin
  throw new ConfigError('CORS_ORIGINS must list exact origins such as https://app.example.com')
}

function checkProxy (entry: string): string {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return entry
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const version = isIP(address)
  const width = version === 4 ? 32 : 128
  if (version !== 0 && (bits === undefined || (Number(bits) >= 1 && Number(bits) <= width))) return entry
  throw new ConfigError('TRUST_PROXY must list addresses, ranges such as 10.0.0.0/8, loopback, linklocal or uniquelocal')
}

function list (value: string): string[] {
  return value.split(',').map(entry => entry.trim()).filter(entry => entry !== '')
}

function deepFreeze<T extends object> (value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !(inner instanceof URL)) deepFreeze(inner)
  }
  return Object.freeze(value)
}
