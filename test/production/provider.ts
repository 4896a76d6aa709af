import { createHash, randomBytes, webcrypto } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import type { Test } from 'tap'

export const audience = 'https://api.example.com'
const otherAudience = 'https://other.example.com'
const redirectUri = 'https://app.example.com/callback'
const client = { client_id: 'app', client_secret: 'a secret of the client' }

/** Tokens of one sign-in. */
export interface Tokens {
  readonly access_token: string
  readonly id_token?: string
}

/** A certified OpenID provider on a port of its own. */
export interface IdentityProvider {
  readonly issuer: string
  readonly keySetUrl: string
  /** Fetches of the key set so far. */
  fetches (): number
  clientCredentials (resource?: string): Promise<Tokens>
  authorizationCode (): Promise<Tokens>
  /** Signs with a new key from now on; the old one stays published. */
  rotate (): Promise<void>
  stop (): Promise<void>
  start (): Promise<void>
}

/** Starts the provider; tokens of `audience` carry the claims of an admin with a startup. */
export async function startProvider (t: Test): Promise<IdentityProvider> {
  const keys = [await newKey()]
  let fetched = 0
  let handler = (_request: Parameters<ReturnType<Provider['callback']>>[0], _response: Parameters<ReturnType<Provider['callback']>>[1]): unknown => undefined
  let server = createServer()
  const listen = async (port: number): Promise<void> => {
    server = createServer((request, response) => {
      if (request.url === '/jwks') fetched++
      handler(request, response)
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as { port: number }
  const issuer = `http://127.0.0.1:${port}`
  const configure = () => { handler = new Provider(issuer, configuration([...keys])).callback() }
  configure()
  t.teardown(async () => { await close(server) })

  const post = async (path: string, form: Record<string, string>): Promise<Tokens> => {
    const answer = await fetch(issuer + path, { method: 'POST', body: new URLSearchParams({ ...client, ...form }) })
    if (answer.status !== 200) throw new Error(await answer.text())
    return await answer.json() as Tokens
  }

  return {
    issuer,
    keySetUrl: `${issuer}/jwks`,
    fetches: () => fetched,
    clientCredentials: (resource = audience) => post('/token', { grant_type: 'client_credentials', resource }),
    async authorizationCode () {
      const verifier = randomBytes(32).toString('base64url')
      const code = await signIn(issuer, createHash('sha256').update(verifier).digest('base64url'))
      return await post('/token', { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier })
    },
    async rotate () {
      keys.unshift(await newKey())
      configure()
    },
    stop: () => close(server),
    start: () => listen(port)
  }
}

export { otherAudience }

async function close (server: Server): Promise<void> {
  server.closeAllConnections()
  if (!server.listening) return
  server.close()
  await once(server, 'close')
}

async function newKey (): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...await exportJWK(privateKey as webcrypto.CryptoKey), kid: randomBytes(8).toString('hex'), use: 'sig', alg: 'RS256' }
}

/** Walks a browser's way through the provider's own forms and returns the code. */
async function signIn (issuer: string, challenge: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = new URL('/auth', issuer)
  url.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    resource: audience,
    code_challenge: challenge,
    code_challenge_method: 'S256'
  }).toString()
  let form: URLSearchParams | undefined
  for (let step = 0; step < 20; step++) {
    const answer = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== undefined && { body: form })
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    form = undefined
    const location = answer.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      if (url.href.startsWith(redirectUri)) return url.searchParams.get('code') as string
      continue
    }
    const page = await answer.text()
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
    if (action === undefined) throw new Error(`No form: ${answer.status} ${page.slice(0, 500)}`)
    url = new URL(action, url)
    form = new URLSearchParams({ prompt: /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login', login: 'person-1', password: 'any' })
  }
  throw new Error('The sign-in goes round in circles')
}

function configuration (keys: JWK[]): Configuration {
  return {
    jwks: { keys: keys as never },
    cookies: { keys: ['a key of the test'] },
    clients: [{
      ...client,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'client_credentials'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'RS256'
    }],
    pkce: { required: () => true },
    claims: { email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: '', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 600, jwt: { sign: { alg: 'RS256' } }
        })
      }
    },
    extraTokenClaims: (_context, token) => ({
      ...('accountId' in token ? {} : { sub: 'machine-1' }),
      email: 'Admin@example.com',
      email_verified: true,
      given_name: 'Ada',
      family_name: 'Admin',
      roles: ['admin'],
      startupId: 'startup-aurora'
    })
  }
}
