import { createHmac, createPrivateKey, sign } from 'node:crypto'
import type { Callers, Recipe, Signer } from './recipe.js'

const tokenLifeSeconds = 24 * 3600

/** The bytes of each request of a recipe, one HTTP/1.1 message each. */
export function makeRequests (recipe: Recipe, port: number): Buffer[] {
  const { method = 'GET', paths, body, callers, headers = {} } = recipe
  const tokens = callers === undefined ? [] : makeTokens(callers)
  const fixed = [
    `host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`])
  ].join('\r\n')
  return Array.from({ length: Math.max(paths.length, tokens.length) }, (_, index) => {
    const path = paths[index % paths.length] as string
    const token = tokens[index % tokens.length]
    const authorization = token === undefined ? '' : `\r\nauthorization: Bearer ${token}`
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${fixed}${authorization}\r\n\r\n${body ?? ''}`)
  })
}

function makeTokens ({ signer, prefix, count, first = 0, step = 1, digits = 0, claims = {}, numberedClaims = {} }: Callers): string[] {
  const header = encode({ alg: signer.alg, typ: 'JWT' })
  const exp = Math.floor(Date.now() / 1000) + tokenLifeSeconds
  const signText = signerOf(signer)
  return Array.from({ length: count }, (_, index) => {
    const number = String(first + index * step).padStart(digits, '0')
    const sub = `${prefix}${number}`
    const own = Object.fromEntries(Object.entries(numberedClaims).map(([name, start]) => [name, `${start}${number}`]))
    const text = `${header}.${encode({ sub, email: `${sub}@example.com`, exp, ...claims, ...own })}`
    return `${text}.${signText(text)}`
  })
}

function signerOf (signer: Signer): (text: string) => string {
  if (signer.alg === 'HS256') return text => createHmac('sha256', signer.secret).update(text).digest('base64url')
  const key = createPrivateKey(signer.privateKey)
  return text => sign('sha256', Buffer.from(text), key).toString('base64url')
}

function encode (value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
