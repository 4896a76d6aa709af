import { KeyObject, type webcrypto } from 'node:crypto'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWSHeaderParameters } from 'jose'
import { KeysUnavailable } from '../kernel/errors.js'

const cooldownMs = 15_000
const failureCooldownMs = 2000
const refreshMs = 300_000
const staleMs = 2 * refreshMs
const fetchTimeoutMs = 4000

type Find = ReturnType<typeof createLocalJWKSet>

/**
 * The identity provider's key set. Known keys keep working while the provider is down; an unknown key id costs the
 * provider at most one fetch in 15 s, so that a new key is taken up well within a minute and nobody can make the
 * service hammer it; the set is read anew after five minutes of use, so that a withdrawn key is forgotten. After ten
 * minutes it is not believed any more before that, unless the provider is down.
 */
export class KeySet {
  readonly #url: URL
  readonly #pems = new WeakMap<object, string>()
  #find: Find | undefined
  #triedAt = -Infinity
  #failed = false
  #loadedAt = -Infinity
  #loading: Promise<void> | undefined

  constructor (url: URL) {
    this.#url = url
  }

  /**
   * The public key in PEM form that a token's header names, or undefined when the set has none.
   * Throws KeysUnavailable when the set cannot be had.
   */
  async pem (header: JWSHeaderParameters): Promise<string | undefined> {
    const known = await this.#lookUp(header)
    if (known !== undefined) {
      const age = Date.now() - this.#loadedAt
      if (age <= refreshMs) return known
      const wasFailed = this.#failed
      const loading = (this.#loading ?? (this.#mayTry() ? this.#load() : undefined))?.catch(() => {})
      if (age <= staleMs || wasFailed) return known
      await loading
      return await this.#lookUp(header)
    }
    if (this.#loading === undefined && !this.#mayTry()) {
      if (this.#failed) throw new KeysUnavailable('The key set cannot be fetched')
      return undefined
    }
    await this.#load()
    return await this.#lookUp(header)
  }

  #mayTry (): boolean {
    return Date.now() - this.#triedAt >= (this.#failed ? failureCooldownMs : cooldownMs)
  }

  async #lookUp (header: JWSHeaderParameters): Promise<string | undefined> {
    if (this.#find === undefined) return undefined
    try {
      const key = await this.#find(header)
      let pem = this.#pems.get(key)
      if (pem === undefined) {
        pem = KeyObject.from(key as webcrypto.CryptoKey).export({ type: 'spki', format: 'pem' }) as string
        this.#pems.set(key, pem)
      }
      return pem
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  #load (): Promise<void> {
    this.#loading ??= this.#fetch().finally(() => { this.#loading = undefined })
    return this.#loading
  }

  async #fetch (): Promise<void> {
    this.#triedAt = Date.now()
    try {
      const response = await fetch(this.#url, {
        headers: { accept: 'application/json, application/jwk-set+json' },
        redirect: 'error',
        signal: AbortSignal.timeout(fetchTimeoutMs)
      })
      if (response.status !== 200) throw new Error(`The key set answered ${response.status}`)
      this.#find = createLocalJWKSet(await response.json() as JSONWebKeySet)
      this.#loadedAt = Date.now()
      this.#failed = false
    } catch (cause) {
      this.#failed = true
      throw new KeysUnavailable('The key set cannot be fetched', { cause })
    }
  }
}
