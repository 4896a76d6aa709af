import { generateKeyPairSync } from 'node:crypto'
import type { Callers, Signer } from './load/recipe.js'

export const secret = 'the secret of the bench, at least 32 bytes long'
export const adminEmail = 'admin-0@example.com'

export const shared: Signer = { alg: 'HS256', secret }

/** Seeded users have numbers of this many digits. */
export const userDigits = 8

/** Users that the seeded database knows, spread over all of it. */
export function knownUsers (scale: number, count: number): Callers {
  return { signer: shared, prefix: 'user-', count, step: Math.floor(scale / count), digits: userDigits }
}

/** Users that nobody has seen, of another run each time. */
export function freshUsers (count: number): Callers {
  return { signer: shared, prefix: `fresh-${Date.now().toString(36)}-`, count }
}

/** The admin of both areas. */
export const admin: Callers = { signer: shared, prefix: 'admin-', count: 1, claims: { roles: ['admin'] } }

/** One user of each of `count` startups that the seeded database knows. */
export function startups (count: number): Callers {
  return { signer: shared, prefix: 'viewer-', count, numberedClaims: { startupId: 'startup-' } }
}

/** A key pair of a usual size, in PEM form. */
export function makeKeys (): { publicKey: string, privateKey: string } {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
  })
}
