import { SignJWT } from 'jose'
import { developmentSecret } from './secret.js'

/** What a development token says of its caller; absent parts are left out. */
export interface TokenSubject {
  readonly sub: string
  readonly email?: string | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly roles?: readonly string[] | undefined
  readonly startup?: string | undefined
}

/**
 * Signs an HS256 token with the claims that the service is configured to read, valid for `seconds` from now.
 * `env` gives JWT_SECRET (or the development secret is taken), JWT_ISSUER, JWT_AUDIENCE and the names of the claims.
 */
export async function signToken (subject: TokenSubject, seconds: number, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const secret = setting(env, 'JWT_SECRET') ?? await developmentSecret()
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    sub: subject.sub,
    email: subject.email,
    given_name: subject.firstName,
    family_name: subject.lastName,
    [setting(env, 'JWT_ROLES_CLAIM') ?? 'roles']: subject.roles,
    [setting(env, 'JWT_STARTUP_CLAIM') ?? 'startupId']: subject.startup,
    iss: setting(env, 'JWT_ISSUER'),
    aud: setting(env, 'JWT_AUDIENCE'),
    iat: now,
    exp: now + seconds
  }
  const present = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
  return await new SignJWT(present).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(Buffer.from(secret))
}

/** The variable that keeps this environment's tokens from being signed here: their key is the identity provider's. */
export function foreignKey (env: NodeJS.ProcessEnv = process.env): string | undefined {
  return ['JWT_JWKS_URL', 'JWT_PUBLIC_KEY'].find(name => setting(env, name) !== undefined)
}

/** As the service reads it: an empty variable counts as absent. */
export function setting (env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}
