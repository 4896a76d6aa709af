import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TokenConfig } from '../config.js'
import { KeysUnavailable } from '../kernel/errors.js'
import { Refusal } from '../kernel/refusal.js'
import { type Caller, readCaller } from './caller.js'
import { KeySet } from './keys.js'

type Algorithm = 'HS256' | 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA'

const asymmetric: Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

const cacheSize = 10_000
const cacheMs = 60_000

interface TokenHeader {
  readonly alg?: unknown
  readonly kid?: unknown
  readonly jku?: unknown
  readonly jwk?: unknown
  readonly crit?: unknown
}

/** Verifies the bearer token of a request and tells who calls; throws a 401 refusal or KeysUnavailable. */
export type Authenticate = (request: FastifyRequest) => Caller | Promise<Caller>

const missing = () => new Refusal('unauthorized', 'Missing bearer token')
const invalid = () => new Refusal('unauthorized', 'Invalid or expired bearer token')

/**
 * Registers @fastify/jwt with the configured key and returns the check of a request's token: signature with an
 * allowed algorithm, exp (required), nbf, iss, aud, and the kinds of the claims (contract: Callers).
 */
export async function setUpTokens (app: FastifyInstance, config: TokenConfig): Promise<Authenticate> {
  const algorithms: Algorithm[] = config.key.kind === 'secret' ? ['HS256'] : asymmetric
  const findKey = keyFinder(config)
  await app.register(fastifyJwt, {
    decoratorName: 'tokenClaims',
    decode: { complete: true },
    async secret (_request: FastifyRequest, token: unknown) {
      const { header } = token as { header: TokenHeader }
      // A token that brings its own key, or extensions that nobody here understands, is refused unread.
      if (header.jku !== undefined || header.jwk !== undefined || header.crit !== undefined) throw invalid()
      if (!algorithms.includes(header.alg as Algorithm)) throw invalid()
      const key = await findKey(header)
      if (key === undefined) throw invalid()
      return key
    },
    verify: {
      algorithms,
      requiredClaims: ['exp', 'sub', ...(config.issuer === undefined ? [] : ['iss']), ...(config.audience === undefined ? [] : ['aud'])],
      ...(config.issuer !== undefined && { allowedIss: config.issuer }),
      ...(config.audience !== undefined && { allowedAud: config.audience })
    }
  })

  const cache = new CallerCache()

  async function verify (request: FastifyRequest, header: string): Promise<Caller> {
    if (!/^bearer\s+\S/i.test(header)) throw missing()
    let claims: unknown
    try {
      claims = await request.jwtVerify()
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error
      request.log.debug({ reason: (error as Error).message }, 'token refused')
      throw invalid()
    }
    const caller = readCaller(claims, config)
    if (caller === undefined) throw invalid()
    cache.add(header, caller)
    return caller
  }

  return request => {
    const { authorization } = request.headers
    if (authorization === undefined) throw missing()
    return cache.get(authorization) ?? verify(request, authorization)
  }
}

function keyFinder (config: TokenConfig): (header: TokenHeader) => Promise<string | undefined> {
  const { key } = config
  if (key.kind === 'secret') return async () => key.secret
  if (key.kind === 'public-key') return async () => key.pem
  const keySet = new KeySet(key.url)
  return header => keySet.pem(header as { alg: string })
}

/**
 * Callers by the whole header that brings their token, so that a token is verified once a minute instead of once a
 * request, and its header not even parsed. Bounded by count (the oldest goes first), by the token's own end, and by a
 * minute, within which a withdrawn key is noticed.
 */
class CallerCache {
  readonly #entries = new Map<string, { readonly caller: Caller, readonly until: number }>()

  get (header: string): Caller | undefined {
    const entry = this.#entries.get(header)
    if (entry === undefined) return undefined
    if (Date.now() < entry.until) return entry.caller
    this.#entries.delete(header)
    return undefined
  }

  add (header: string, caller: Caller): void {
    if (this.#entries.size >= cacheSize) this.#entries.delete(this.#entries.keys().next().value as string)
    this.#entries.set(header, { caller, until: Math.min(caller.expiresAt, Date.now() + cacheMs) })
  }
}
