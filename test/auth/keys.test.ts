import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import t from 'tap'
import type { Test } from 'tap'
import { KeySet } from '../../src/auth/keys.js'
import { isError } from '../legal/helper.js'
import { claimsOf, ec, ed25519, forge, type KeyPair, rsa, sign, tokenApp } from './helper.js'

const issuer = 'https://idp.example.com'
const audience = 'legal'

const jwk = ({ publicKey }: KeyPair, kid?: string, more: object = {}): object => ({ ...publicKey.export({ format: 'jwk' }), ...(kid !== undefined && { kid }), use: 'sig', ...more })
const tokenOf = async ({ privateKey }: KeyPair, kid: string | undefined, alg = 'RS256', over: Record<string, unknown> = {}) =>
  await sign(claimsOf({ iss: issuer, aud: audience, ...over }), alg, privateKey, kid === undefined ? {} : { kid })
const unknownKey = () => forge({ alg: 'RS256', kid: randomUUID() }, claimsOf({ iss: issuer, aud: audience }))

/** An identity provider's key set over HTTP, with what it answers and how often it was asked in the test's hands. */
async function provider (t: Test, keys: object[]) {
  const state = { keys, fetches: 0, answer: undefined as RequestListener | undefined }
  const server = createServer((request, response) => {
    state.fetches++
    if (state.answer !== undefined) return state.answer(request, response)
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: state.keys }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.closeAllConnections(); server.close() })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  return Object.assign(state, { url, env: { JWT_JWKS_URL: url, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } })
}

/** Freezes the clock for a test, which moves it by hand. */
function clock (t: Test): (seconds: number) => void {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => { mock.timers.reset() })
  return seconds => { mock.timers.tick(seconds * 1000) }
}

const [first, second] = [rsa(), rsa()]

t.test('keys of every kind in one set, found by their id, and fetched once', async t => {
  const pairs: Array<[string, KeyPair, string]> = [['r', first, 'RS256'], ['p', second, 'PS256'], ['e', ec('P-256'), 'ES256'], ['f', ec('P-521'), 'ES512'], ['d', ed25519(), 'EdDSA']]
  const idp = await provider(t, pairs.map(([kid, pair]) => jwk(pair, kid)))
  const { accepts, refuses } = await tokenApp(t, idp.env)
  for (const [kid, pair, alg] of pairs) await accepts(t, await tokenOf(pair, kid, alg), alg)
  t.equal(idp.fetches, 1)
  await refuses(t, await tokenOf(second, 'r'), 'a key under another\'s id')
  await refuses(t, await tokenOf(first, 'r', 'RS256', { iss: 'x' }), 'another issuer')
  await refuses(t, await tokenOf(first, 'r', 'RS256', { aud: 'x' }), 'another audience')
})

t.test('a set of one key without an id serves tokens without one', async t => {
  const idp = await provider(t, [jwk(first)])
  const { accepts } = await tokenApp(t, idp.env)
  await accepts(t, await tokenOf(first, undefined), 'no kid')
})

t.test('what a set must not be used for', async t => {
  const shared = 'a shared secret of at least thirty-two bytes'
  const idp = await provider(t, [
    { kty: 'oct', k: Buffer.from(shared).toString('base64url'), kid: 'o', alg: 'HS256' }, jwk(first, 'enc', { use: 'enc' }),
    jwk(second, 'rs', { alg: 'RS256' }), { kty: 'RSA', kid: 'bad', n: '!', e: 'AQAB' }, { ...second.privateKey.export({ format: 'jwk' }), kid: 'private' }
  ])
  const { accepts, refuses } = await tokenApp(t, idp.env)
  await accepts(t, await tokenOf(second, 'rs'), 'the one good key, beside odd ones')
  await refuses(t, forge({ alg: 'HS256', kid: 'o' }, claimsOf({ iss: issuer, aud: audience }), { key: shared }), 'a symmetric key of the set')
  await refuses(t, await tokenOf(first, 'enc'), 'a key for encryption')
  await refuses(t, await tokenOf(second, 'rs', 'PS256'), 'a key of another algorithm')
  await refuses(t, await tokenOf(second, 'bad'), 'a key that is none')
  await refuses(t, await tokenOf(second, 'private'), 'a private key')
  await refuses(t, forge({ alg: 'RS256', kid: { a: 1 } }, claimsOf({ iss: issuer, aud: audience })), 'an id that is no text')
})

t.test('a new key is taken up within 60 s, by many callers with few fetches', async t => {
  const idp = await provider(t, [jwk(first, 'a')])
  const { accepts, ask } = await tokenApp(t, idp.env)
  const advance = clock(t)
  await accepts(t, await tokenOf(first, 'a'), 'the first key')
  idp.keys = [jwk(first, 'a'), jwk(second, 'b')]
  const rotated = await Promise.all(Array.from({ length: 50 }, async (_, index) => await tokenOf(second, 'b', 'RS256', { sub: `user-${index}` })))
  let waited = 0
  for (; waited < 60 && (await ask(rotated[0] as string)).status !== 200; waited += 5) advance(5)
  t.ok(waited < 60, `after ${waited} s`)
  t.strictSame(new Set(await Promise.all(rotated.map(async token => (await ask(token)).status))), new Set([200]))
  await accepts(t, await tokenOf(first, 'a'), 'the first key stays good while it is in the set')
  t.ok(idp.fetches <= 4, `${idp.fetches} fetches`)
})

t.test('a withdrawn key is forgotten within eight minutes', async t => {
  const idp = await provider(t, [jwk(first, 'a'), jwk(second, 'b')])
  const { ask } = await tokenApp(t, idp.env)
  const advance = clock(t)
  const [withdrawn, kept] = [await tokenOf(first, 'a'), await tokenOf(second, 'b')]
  t.equal((await ask(withdrawn)).status, 200)
  idp.keys = [jwk(second, 'b')]
  let waited = 0
  for (; waited < 600 && (await ask(withdrawn)).status === 200; waited += 30) {
    advance(30)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  t.ok(waited <= 480, `after ${waited} s`)
  t.equal((await ask(withdrawn)).status, 401)
  t.equal((await ask(kept)).status, 200)
})

t.test('a key that was withdrawn while nobody called is not taken even once', async t => {
  const idp = await provider(t, [jwk(first, 'a'), jwk(second, 'b')])
  const { ask } = await tokenApp(t, idp.env)
  const advance = clock(t)
  const tomorrow = { exp: Math.floor(Date.now() / 1000) + 200_000 }
  t.equal((await ask(await tokenOf(second, 'b'))).status, 200)
  idp.keys = [jwk(second, 'b')]
  advance(86_400)
  const withdrawn = await Promise.all(['ann', 'bob', 'cleo'].map(async sub => await tokenOf(first, 'a', 'RS256', { ...tomorrow, sub })))
  t.strictSame((await Promise.all(withdrawn.map(async token => await ask(token)))).map(({ status }) => status), [401, 401, 401])

  advance(86_400)
  idp.answer = request => { request.socket.destroy() }
  t.equal((await ask(await tokenOf(second, 'b', 'RS256', tomorrow))).status, 200, 'a known key still works while the provider is down')
  const before = idp.fetches
  idp.answer = () => {}
  t.equal((await ask(await tokenOf(second, 'b', 'RS256', { ...tomorrow, sub: 'dora' }))).status, 200, 'and nobody else waits for it')
  t.ok(idp.fetches - before <= 1)
})

t.test('10,000 unknown key ids cost the provider a handful of fetches', async t => {
  const idp = await provider(t, [jwk(first, 'a')])
  const { accepts, ask } = await tokenApp(t, idp.env)
  const advance = clock(t)
  await accepts(t, await tokenOf(first, 'a'), 'a known key')
  for (let second = 0; second < 60; second += 10) {
    const answers = await Promise.all(Array.from({ length: 50 }, async () => (await ask(unknownKey())).status))
    t.strictSame(new Set(answers), new Set([401]))
    advance(10)
  }
  t.ok(idp.fetches <= 5, `${idp.fetches} fetches in a minute of it`)

  const keySet = new KeySet(new URL(idp.url))
  const before = idp.fetches
  const found = await Promise.all(Array.from({ length: 10_000 }, async () => await keySet.pem({ alg: 'RS256', kid: randomUUID() })))
  t.ok(found.every(key => key === undefined))
  t.equal(idp.fetches - before, 1)
})

t.test('the provider down', async t => {
  const idp = await provider(t, [jwk(first, 'a')])
  const { ask, anybody } = await tokenApp(t, idp.env)
  const advance = clock(t)

  t.test('from the start: 503 with Retry-After, never 500, and public routes work', async t => {
    idp.answer = (request) => { request.socket.destroy() }
    for (let count = 0; count < 3; count++) {
      const answer = await ask(await tokenOf(first, 'a'))
      isError(t, answer, 503, 'Service Unavailable')
      t.match(answer.headers['retry-after'], /^\d+$/)
    }
    t.equal((await anybody.get('/legal/versions/terms')).status, 200)
    t.equal(idp.fetches, 1, 'it is not hammered meanwhile')
  })

  t.test('back again: good within seconds', async t => {
    idp.answer = undefined
    advance(3)
    t.equal((await ask(await tokenOf(first, 'a'))).status, 200)
  })

  const troubles: Record<string, RequestListener> = {
    'closes the connection': request => { request.socket.destroy() },
    'answers 500': (_request, response) => { response.writeHead(500).end() },
    'answers HTML': (_request, response) => { response.end('<html>') },
    'answers another object': (_request, response) => { response.end('{"error":"x"}') },
    'answers keys that are no list': (_request, response) => { response.end('{"keys":5}') },
    'answers null': (_request, response) => { response.end('null') },
    redirects: (_request, response) => { response.writeHead(302, { location: '/elsewhere' }).end() }
  }
  for (const [name, answer] of Object.entries(troubles)) {
    t.test(`later, when it ${name}: known keys keep working for hours, unknown ones are 503, all good afterwards`, async t => {
      idp.answer = answer
      advance(20)
      isError(t, await ask(unknownKey()), 503, 'Service Unavailable')
      t.equal((await ask(await tokenOf(first, 'a', 'RS256', { exp: Math.floor(Date.now() / 1000) + 90_000 }))).status, 200)
      advance(4000)
      t.equal((await ask(await tokenOf(first, 'a', 'RS256', { exp: Math.floor(Date.now() / 1000) + 90_000 }))).status, 200)
      await new Promise(resolve => setTimeout(resolve, 50))
      idp.answer = undefined
      advance(3)
      t.equal((await ask(unknownKey())).status, 401)
    })
  }

  t.test('when it hangs for ever an unknown key is 503 within 5 s, and a known one does not wait', async t => {
    idp.answer = () => {}
    advance(20)
    const asked = performance.now()
    const unknown = ask(unknownKey())
    t.equal((await ask(await tokenOf(first, 'a', 'RS256', { sub: 'bob', exp: Math.floor(Date.now() / 1000) + 90_000 }))).status, 200)
    t.ok(performance.now() - asked < 2000)
    isError(t, await unknown, 503, 'Service Unavailable')
    t.ok(performance.now() - asked < 6000)
  })
})
