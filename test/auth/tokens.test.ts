import t from 'tap'
import { adminClaims, secret } from '../helper.js'
import { isError } from '../legal/helper.js'
import { claimsOf, ec, ed25519, forge, now, pem, rsa, sign, tokenApp } from './helper.js'

const hs256 = { alg: 'HS256', typ: 'JWT' }

t.test('a missing token is 401 with WWW-Authenticate, in one message', async t => {
  const { anybody } = await tokenApp(t, { JWT_SECRET: secret })
  const good = forge(hs256, claimsOf())
  const headers: Array<Record<string, string>> = [
    {}, { authorization: '' }, { authorization: 'Bearer' }, { authorization: 'Bearer ' }, { authorization: good }, { authorization: `Token ${good}` },
    { authorization: 'Basic YTpi' }, { authorization: `Bearer${good}` }, { 'x-authorization': `Bearer ${good}` }, { cookie: `token=${good}` }
  ]
  for (const given of headers) {
    const answer = await anybody.get('/legal/status', given)
    isError(t, answer, 401, 'Missing bearer token')
    t.equal(answer.headers['www-authenticate'], 'Bearer')
  }
  t.equal((await anybody.get('/legal/status', { authorization: `bearer ${good}` })).status, 200, 'the scheme in any letter case')
})

t.test('a token in a query string or a body counts for nothing', async t => {
  const { anybody } = await tokenApp(t, { JWT_SECRET: secret })
  const good = forge(hs256, claimsOf(adminClaims))
  for (const name of ['token', 'access_token', 'jwt', 'authorization']) {
    isError(t, await anybody.get(`/legal/status?${name}=${good}`), 401, 'Missing bearer token')
    isError(t, await anybody.post('/legal/accept', { type: 'terms', [name]: good }), 401, 'Missing bearer token')
  }
})

t.test('a bad token on a public route is ignored', async t => {
  const { ask } = await tokenApp(t, { JWT_SECRET: secret })
  for (const token of ['nonsense', forge(hs256, claimsOf({ exp: 1 })), forge({ alg: 'none' }, claimsOf()), '', 'a b c']) {
    isError(t, await ask(token, '/legal/current/terms'), 404, 'No active terms document found')
    t.equal((await ask(token, '/legal/versions/terms')).status, 200)
    t.equal((await ask(token, '/health/ready')).status, 200)
  }
})

t.test('with JWT_SECRET, issuer and audience', async t => {
  const issuer = 'https://idp.example.com'
  const { accepts, refuses } = await tokenApp(t, { JWT_SECRET: secret, JWT_ISSUER: issuer, JWT_AUDIENCE: 'legal' })
  const claims = (over: Record<string, unknown> = {}) => claimsOf({ iss: issuer, aud: 'legal', ...over })
  const good = forge(hs256, claims())

  await accepts(t, good, 'a good token')
  await accepts(t, forge({ alg: 'HS256' }, claims()), 'without typ')
  await accepts(t, forge({ alg: 'HS256', typ: 'at+jwt', kid: 'x' }, claims()), 'with a kid')
  await accepts(t, forge(hs256, claims({ aud: ['other', 'legal'] })), 'one of several audiences')
  await accepts(t, forge(hs256, claims({ nbf: now() - 5, iat: now() })), 'nbf in the past')
  await accepts(t, forge(hs256, claims({ exp: now() + 600.5 })), 'exp with a fraction')

  const [head, body, signature] = good.split('.') as [string, string, string]
  const malformed = ['nonsense', 'a.b', 'a.b.c', '..', `${head}.${body}`, `${head}.${body}.`, `${head}..${signature}`, `.${body}.${signature}`,
    `${good}.`, `${good}.x`, `${good} x`, `x ${good}`, `${head}.${body}.${signature.slice(0, -2)}`, `${good}=`, '{}', 'null', 'x'.repeat(8000),
    forge('text', claims()), forge(hs256, 'text'), forge(hs256, '[]'), forge(hs256, 'null'), forge('null', claims()), forge('{}', claims())]
  for (const token of malformed) await refuses(t, token, `malformed: ${token.slice(0, 40)}`)

  const other = forge(hs256, claims({ sub: 'bob' })).split('.')
  await refuses(t, `${head}.${other[1]}.${signature}`, 'another token\'s claims')
  await refuses(t, forge(hs256, claims(), { key: 'another secret of more than thirty-two bytes' }), 'another secret')
  await refuses(t, forge(hs256, claims(), { key: '' }), 'an empty secret')

  await refuses(t, forge(hs256, claims({ exp: now() - 1 })), 'expired')
  await refuses(t, forge(hs256, claims({ exp: undefined })), 'no exp')
  for (const exp of ['9999999999', null, true, [], 'soon', 0, -1]) await refuses(t, forge(hs256, claims({ exp })), `exp ${JSON.stringify(exp)}`)
  await refuses(t, forge(hs256, claims({ nbf: now() + 60 })), 'nbf in the future')
  for (const nbf of ['0', null, {}]) await refuses(t, forge(hs256, claims({ nbf })), `nbf ${JSON.stringify(nbf)}`)
  await refuses(t, forge(hs256, claims({ iss: undefined })), 'no iss')
  for (const iss of [`${issuer}/`, issuer.toUpperCase(), 'https://evil.example', '', 5, [issuer, 'x'], { [issuer]: 1 }]) {
    await refuses(t, forge(hs256, claims({ iss })), `iss ${JSON.stringify(iss)}`)
  }
  await refuses(t, forge(hs256, claims({ aud: undefined })), 'no aud')
  for (const aud of ['Legal', 'legal2', '', [], ['other'], 5, { legal: 1 }]) await refuses(t, forge(hs256, claims({ aud })), `aud ${JSON.stringify(aud)}`)

  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, 'hs256', 'HS', 5, ['HS256']]) {
    await refuses(t, forge({ alg }, claims()), `alg ${JSON.stringify(alg)}`)
    await refuses(t, `${forge({ alg }, claims()).split('.').slice(0, 2).join('.')}.`, `alg ${JSON.stringify(alg)} without a signature`)
  }
  await refuses(t, forge({ alg: 'HS384' }, claims(), { hash: 'sha384' }), 'HS384')
  await refuses(t, forge({ alg: 'HS512' }, claims(), { hash: 'sha512' }), 'HS512')
  const pair = rsa()
  await refuses(t, await sign(claims(), 'RS256', pair.privateKey), 'RS256, where a secret is configured')

  for (const [field, value] of [['jku', 'https://evil.example/keys'], ['jwk', pair.publicKey.export({ format: 'jwk' })], ['crit', ['exp']], ['crit', []], ['jku', null]] as const) {
    await refuses(t, forge({ ...hs256, [field]: value }, claims()), `header ${field} ${JSON.stringify(value)}`)
  }
})

t.test('without JWT_ISSUER and JWT_AUDIENCE those claims may be anything that tokens have', async t => {
  const { accepts } = await tokenApp(t, { JWT_SECRET: secret })
  await accepts(t, forge(hs256, claimsOf({ iss: 'x', aud: 'y' })), 'strings')
  await accepts(t, forge(hs256, claimsOf({ aud: ['y', 'z'] })), 'an array')
})

t.test('a token that was good a moment ago is refused once it has expired', async t => {
  const { ask } = await tokenApp(t, { JWT_SECRET: secret })
  const token = forge(hs256, claimsOf({ exp: now() + 2 }))
  t.equal((await ask(token)).status, 200)
  await new Promise(resolve => setTimeout(resolve, 2100))
  isError(t, await ask(token), 401, 'Invalid or expired bearer token')
})

const pairs = {
  RSA: [rsa(), ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
  'P-256': [ec('P-256'), ['ES256']],
  'P-384': [ec('P-384'), ['ES384']],
  'P-521': [ec('P-521'), ['ES512']],
  Ed25519: [ed25519(), ['EdDSA']]
} as const

for (const [name, [pair, algorithms]] of Object.entries(pairs)) {
  t.test(`with JWT_PUBLIC_KEY of kind ${name}`, async t => {
    const key = pem(pair.publicKey)
    const { accepts, refuses, ask } = await tokenApp(t, { JWT_PUBLIC_KEY: key.trim().replaceAll('\n', '\\n') })
    for (const alg of algorithms) await accepts(t, await sign(claimsOf(), alg, pair.privateKey), alg)
    for (const [otherName, [other, [alg]]] of Object.entries(pairs)) {
      if (otherName !== name) await refuses(t, await sign(claimsOf(), alg, other.privateKey), `${alg} of another key of kind ${otherName}`)
    }
    for (const hash of ['256', '384', '512']) {
      for (const secretKey of [key, key.trim(), pair.publicKey.export({ type: 'spki', format: 'der' })]) {
        await refuses(t, forge({ alg: `HS${hash}` }, claimsOf(), { key: secretKey, hash: `sha${hash}` }), `HS${hash} signed with the public key`)
      }
    }
    await refuses(t, forge({ alg: 'none' }, claimsOf()), 'alg none')
    const good = await sign(claimsOf(), algorithms[0], pair.privateKey)
    await refuses(t, `${good.slice(0, good.lastIndexOf('.'))}.${'A'.repeat(86)}`, 'a signature of zeros')
    t.equal((await ask(await sign(claimsOf({ exp: now() - 1 }), algorithms[0], pair.privateKey))).status, 401, 'expired')
  })
}

t.test('another RSA key than the configured one is refused', async t => {
  const { refuses } = await tokenApp(t, { JWT_PUBLIC_KEY: pem(pairs.RSA[0].publicKey) })
  for (const alg of pairs.RSA[1]) await refuses(t, await sign(claimsOf(), alg, rsa().privateKey), alg)
})
