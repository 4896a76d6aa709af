import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { asciiLowerCase, type TokenConfig } from '../config.js'
import { isText } from '../kernel/validation.js'

/** Who calls, as a verified token tells it (contract: Callers). */
export interface Caller {
  readonly userId: string
  /** `""` when the token has none. */
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly isLegalAdmin: boolean
  readonly isSignalAdmin: boolean
  /** As claimed; whether the platform knows this startup is the startup scope's question. */
  readonly startupId?: string
  /** When the token ends, in milliseconds since the epoch. */
  readonly expiresAt: number
}

const Claims = Type.Object({
  sub: Type.String({ minLength: 1 }),
  exp: Type.Number(),
  email: Type.Optional(Type.String()),
  email_verified: Type.Optional(Type.Boolean()),
  given_name: Type.Optional(Type.String()),
  family_name: Type.Optional(Type.String())
})
type Claims = Static<typeof Claims>

const claimsCheck = TypeCompiler.Compile(Claims)

/** Reads the claims of a verified token; undefined when one of them is of another kind than the contract's. */
export function readCaller (claims: unknown, config: TokenConfig): Caller | undefined {
  if (!claimsCheck.Check(claims)) return undefined
  const roles = readRoles(readClaim(claims, config.rolesClaim))
  const startupId = readClaim(claims, config.startupClaim)
  if (roles === undefined || (startupId !== undefined && typeof startupId !== 'string')) return undefined
  const { sub, email = '', given_name: firstName = '', family_name: lastName = '' } = claims
  if (![sub, email, firstName, lastName, startupId ?? ''].every(isText) || [...sub].length > 255) return undefined
  return {
    userId: sub,
    email,
    firstName,
    lastName,
    isLegalAdmin: claims.email_verified !== false && email !== '' && config.adminEmails.includes(asciiLowerCase(email)),
    isSignalAdmin: roles.includes('admin'),
    ...(startupId !== undefined && { startupId }),
    expiresAt: claims.exp * 1000
  }
}

/** A claim by its full name, which may contain dots, or else by the path that the dots describe. */
function readClaim (claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return (claims as Record<string, unknown>)[name]
  let value: unknown = claims
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value
}

function readRoles (value: unknown): string[] | undefined {
  if (value === undefined) return []
  if (typeof value === 'string') return value.split(' ')
  if (Array.isArray(value) && value.every(role => typeof role === 'string')) return value
  return undefined
}
