import t, { type Test } from 'tap'
import { connect, type AddressInfo } from 'node:net'
import { STATUS_CODES } from 'node:http'
import { adminClaims, testApp, token } from '../helper.js'

/** Sends bytes, and more of them once an answer has begun, and reads until the other side closes. */
async function exchange (port: number, bytes: string, more?: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setTimeout(5000, () => { socket.destroy(new Error(`no end: ${text}`)) })
    socket.setEncoding('latin1').on('data', (chunk: string) => { text += chunk }).on('error', reject).on('close', () => { resolve(text) })
    socket.write(bytes, 'latin1')
    if (more !== undefined) socket.once('data', () => { setTimeout(() => { socket.write(more, 'latin1') }, 50) })
  })
}

function isErrorAnswer (t: Test, text: string, status: number, message: RegExp): void {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
  const [first, ...lines] = head.split('\r\n')
  t.equal(first, `HTTP/1.1 ${status} ${STATUS_CODES[status]}`)
  const headers = Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]))
  t.match(headers, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': /default-src 'self'/,
    'x-request-id': /^[\w.:-]+$/
  })
  const json = JSON.parse(body)
  t.same(Object.keys(json).sort(), ['error', 'message', 'statusCode'])
  t.match(json, { statusCode: status, error: STATUS_CODES[status] as string, message })
}

t.test('what Node would refuse by itself has the error body and the security headers too', async t => {
  const lines: string[] = []
  const { app } = await testApp(t, { env: { LOG_LEVEL: 'info' }, log: line => { lines.push(line) } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = 'connection: close\r\n'

  t.test('HTTP/1.1 without a Host header, or with two', async t => {
    isErrorAnswer(t, await exchange(port, `GET /health/live HTTP/1.1\r\n${close}\r\n`), 400, /^headers.host is required$/)
    isErrorAnswer(t, await exchange(port, `GET /nothing HTTP/1.1\r\n${close}\r\n`), 400, /^headers.host is required$/)
    isErrorAnswer(t, await exchange(port, `GET /health/live HTTP/1.1\r\nhost: a\r\nHost: b\r\n${close}\r\n`), 400, /^headers.host must be given once$/)
    t.match(await exchange(port, `GET /health/live HTTP/1.1\r\nhost:\r\n${close}\r\n`), /^HTTP\/1.1 200 /)
    t.match(await exchange(port, 'GET /health/live HTTP/1.0\r\n\r\n'), /^HTTP\/1.1 200 /, 'HTTP/1.0 has none')
  })

  t.test('an expectation that is not known', async t => {
    const post = `POST /legal/accept HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n${close}`
    isErrorAnswer(t, await exchange(port, `${post}expect: 200-ok\r\n\r\n{}`), 417, /^headers.expect must be 100-continue$/)
    t.match(await exchange(port, `${post}expect: 100-continue\r\n\r\n{}`), /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 401 /)
  })

  t.test('bytes that are no HTTP', async t => {
    for (const bytes of ['NONSENSE\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'GET / HTTP/1.1\r\nbad header\r\n\r\n', '\0\0\0\0', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n']) {
      isErrorAnswer(t, await exchange(port, bytes), 400, /^The request is not valid HTTP$/)
    }
  })

  t.test('a head that is too long', async t => {
    isErrorAnswer(t, await exchange(port, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`), 431, /^The head of the request is too large$/)
    isErrorAnswer(t, await exchange(port, `GET / HTTP/1.1\r\nhost: x\r\nx-y: ${'x'.repeat(20_000)}\r\n\r\n`), 431, /^The head of the request is too large$/)
  })

  t.test('CONNECT, which is for proxies', async t => {
    isErrorAnswer(t, await exchange(port, 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n'), 404, /^Route not found$/)
  })

  t.test('a body in broken chunks', async t => {
    const bearer = await token(adminClaims)
    const head = `POST /legal/admin/documents HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${bearer}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    isErrorAnswer(t, await exchange(port, `${head}zz\r\n`), 400, /^The request is not valid HTTP$/)
  })

  t.test('a request that was answered before its body broke off gets no second answer', async t => {
    for (const path of ['/nothing', '/legal/accept']) {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
      const text = await exchange(port, head, 'zz\r\n')
      t.equal(text.match(/HTTP\/1\.1 \d/g)?.length, 1, path)
      t.match(text, /^HTTP\/1.1 40[14] /)
    }
  })

  t.test('behind a request whose answer is under way the connection only ends: the answer would be taken for the other\'s', async t => {
    const text = await exchange(port, 'GET /health/ready HTTP/1.1\r\nhost: x\r\n\r\nNONSENSE\r\n\r\n')
    t.notMatch(text, /^HTTP\/1.1 400/)
  })

  t.test('each leaves a line in the log', async t => {
    const refused = lines.map(line => JSON.parse(line)).filter(line => line.msg === 'request' && line.code !== undefined)
    t.match(refused.find(line => line.status === 431), { code: 'HPE_HEADER_OVERFLOW', outcome: 'refused' })
    t.ok(refused.some(line => line.status === 400))
    t.ok(lines.map(line => JSON.parse(line)).some(line => line.status === 417 && line.outcome === 'refused'))
  })
})
