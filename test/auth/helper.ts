import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Test } from 'tap'
import { secret, testApp } from '../helper.js'

export const now = () => Math.floor(Date.now() / 1000)

/** The claims of a good token, and what a test adds or takes away (undefined). */
export const claimsOf = (over: Record<string, unknown> = {}): Record<string, unknown> => ({ sub: 'ann', exp: now() + 600, ...over })

const part = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token of any header and claims, also such that no library would make, signed by HMAC with any key. */
export function forge (header: unknown, claims: unknown, { key = secret, hash = 'sha256' }: { key?: string | Buffer, hash?: string } = {}): string {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`
}

/** A token signed with a private key. */
export async function sign (claims: Record<string, unknown>, alg: string, key: KeyObject, header: Record<string, unknown> = {}): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader({ alg, ...header }).sign(key)
}

export interface KeyPair { readonly publicKey: KeyObject, readonly privateKey: KeyObject }

export const rsa = (): KeyPair => generateKeyPairSync('rsa', { modulusLength: 2048 })
export const ec = (namedCurve: string): KeyPair => generateKeyPairSync('ec', { namedCurve })
export const ed25519 = (): KeyPair => generateKeyPairSync('ed25519')

export const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }) as string

/** The application with these settings, and what it says of a token: 200, 401, 403 or 503. */
export async function tokenApp (t: Test, env: Record<string, string> = {}) {
  const running = await testApp(t, { env: { JWT_SECRET: '', ...env } })
  const anybody = await running.as()
  const ask = async (token: string, url = '/legal/status') => await anybody.get(url, { authorization: `Bearer ${token}` })
  return {
    ...running,
    anybody,
    ask,
    accepts: async (t: Test, token: string, name: string) => { t.equal((await ask(token)).status, 200, name) },
    refuses: async (t: Test, token: string, name: string) => {
      const { status, json, headers } = await ask(token)
      const body = { statusCode: 401, error: 'Unauthorized', message: 'Invalid or expired bearer token' }
      t.strictSame({ status, json, challenge: headers['www-authenticate'] }, { status: 401, json: body, challenge: 'Bearer' }, `refused: ${name}`)
    }
  }
}
