import t from 'tap'
import type { Test } from 'tap'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { adminClaims, token } from '../helper.js'
import { draftBody, legalApp } from '../legal/helper.js'

interface RawAnswer { readonly status: number, readonly head: string, readonly body: string }

// What HTTP libraries on either side would tidy up is sent as bytes over a socket.
t.test('bytes on a socket', async t => {
  const { app, query } = await legalApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const admin = `authorization: Bearer ${await token(adminClaims)}`
  const other = `authorization: Bearer ${await token({ sub: 'ann' })}`

  async function send (head: string[], body: Buffer = Buffer.alloc(0)): Promise<RawAnswer> {
    return await new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      const chunks: Buffer[] = []
      socket.setTimeout(5000, () => { socket.destroy(new Error('no answer')) })
      socket.on('data', chunk => chunks.push(chunk)).on('error', reject).on('close', () => {
        const text = Buffer.concat(chunks).toString()
        const [top = '', rest = ''] = text.split(/\r\n\r\n(.*)/s)
        resolve({ status: Number(top.split(' ')[1]), head: top, body: rest })
      })
      socket.write(Buffer.concat([Buffer.from([...head, 'host: x', 'connection: close', '', ''].join('\r\n'), 'latin1'), body]))
    })
  }
  const error = (t: Test, answer: RawAnswer, status: number, message: RegExp) => {
    t.equal(answer.status, status)
    const body = JSON.parse(answer.body)
    t.match(body, { statusCode: status, error: String, message })
    t.equal(Object.keys(body).length, 3)
  }

  t.test('two Authorization headers are 400, whichever is good, on every kind of route', async t => {
    for (const pair of [[admin, admin], [admin, other], [other, admin], [admin, 'Authorization: x'], ['AUTHORIZATION: ', admin]]) {
      for (const line of ['GET /legal/status', 'GET /legal/admin/documents', 'GET /legal/current/terms', 'GET /nothing', 'DELETE /legal/admin/users/x']) {
        error(t, await send([`${line} HTTP/1.1`, ...pair]), 400, /^headers.authorization /)
      }
    }
    t.equal((await send(['GET /legal/admin/documents HTTP/1.1', admin])).status, 200)
  })

  const post = ['POST /legal/admin/documents HTTP/1.1', admin, 'content-type: application/json']
  const chunked = (...parts: Buffer[]) => Buffer.concat([...parts.flatMap(part =>
    [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]), Buffer.from('0\r\n\r\n')])
  const json = (title: Buffer): [Buffer, Buffer] => {
    const [before, after] = JSON.stringify(draftBody({ title: '@' })).split('@') as [string, string]
    return [Buffer.concat([Buffer.from(before), title]), Buffer.from(after)]
  }

  t.test('invalid UTF-8 is 400, with a length and chunked', async t => {
    const parts = json(Buffer.from([0xc3, 0x28]))
    const whole = Buffer.concat(parts)
    error(t, await send([...post, `content-length: ${whole.length}`], whole), 400, /^body must be valid UTF-8$/)
    error(t, await send([...post, 'transfer-encoding: chunked'], chunked(...parts)), 400, /^body must be valid UTF-8$/)
    error(t, await send([...post, 'transfer-encoding: chunked'], chunked(whole)), 400, /^body must be valid UTF-8$/)
  })

  t.test('a character cut in two by chunks is whole again', async t => {
    const title = Buffer.from('\u{1F600}é')
    const [before, after] = json(title)
    for (let cut = 1; cut < title.length; cut++) {
      const at = before.length - title.length + cut
      const fresh = JSON.stringify(draftBody()).match(/"version":"[^"]+"/)?.[0] as string
      const first = Buffer.from(before.toString('latin1').replace(/"version":"[^"]+"/, fresh), 'latin1')
      const shift = first.length - before.length
      const answer = await send([...post, 'transfer-encoding: chunked'], chunked(first.subarray(0, at + shift), Buffer.concat([first.subarray(at + shift), after])))
      t.equal(answer.status, 201)
      t.match(answer.body, '\u{1F600}é')
    }
  })

  t.test('a byte order mark is 400, with a length and chunked', async t => {
    const whole = Buffer.from(`\ufeff${JSON.stringify(draftBody())}`)
    error(t, await send([...post, `content-length: ${whole.length}`], whole), 400, /byte order mark/)
    error(t, await send([...post, 'transfer-encoding: chunked'], chunked(whole)), 400, /byte order mark/)
  })

  t.test('too large a body is 413 by its length alone, and when chunks grow beyond', async t => {
    error(t, await send([...post, 'content-length: 999999999']), 413, /too large/)
    const chunk = Buffer.alloc(1024 * 1024, ' ')
    error(t, await send([...post, 'transfer-encoding: chunked'], chunked(...Array.from({ length: 15 }, () => chunk))), 413, /too large/)
  })

  t.test('a body without a media type is 415, with a length and chunked', async t => {
    const body = Buffer.from(JSON.stringify(draftBody()))
    const bare = post.slice(0, 2)
    error(t, await send([...bare, `content-length: ${body.length}`], body), 415, /application\/json/)
    error(t, await send([...bare, 'transfer-encoding: chunked'], chunked(body)), 415, /application\/json/)
  })

  t.test('two Content-Type headers are 400: a proxy may have gone by the other one', async t => {
    const body = Buffer.from(JSON.stringify(draftBody()))
    for (const types of [['application/json', 'text/plain'], ['text/plain', 'application/json'], ['application/json', 'application/json']]) {
      error(t, await send([...post.slice(0, 2), ...types.map(type => `Content-Type: ${type}`), `content-length: ${body.length}`], body), 400, /^headers.content-type must be given once$/)
    }
  })

  t.test('publish without a body: no headers, a length of 0, an empty chunked body', async t => {
    for (const headers of [[], ['content-length: 0'], ['content-type: application/json', 'content-length: 0'], ['content-type: application/json', 'transfer-encoding: chunked']]) {
      const created = JSON.parse((await send([...post, 'transfer-encoding: chunked'], chunked(Buffer.from(JSON.stringify(draftBody()))))).body)
      const answer = await send([`POST /legal/admin/documents/${created.id}/publish HTTP/1.1`, admin, ...headers], headers.includes('transfer-encoding: chunked') ? chunked() : undefined)
      t.equal(answer.status, 200)
    }
  })

  t.test('bytes that are no HTTP, or a path that no URL has, are 4xx and harm nobody', async t => {
    for (const line of ['NONSENSE', 'GET', 'GET / HTTP/9.9', 'GET  /legal/status HTTP/1.1', 'GET http://[ HTTP/1.1', 'GET /%00%ff HTTP/1.1',
      'GET //evil.example/legal/status HTTP/1.1', 'GET /legal/current/\x00 HTTP/1.1', 'GET /legal/current/t\xe9rms HTTP/1.1', `GET /${'x'.repeat(20_000)} HTTP/1.1`]) {
      const { status } = await send([line])
      t.ok(status >= 400 && status < 500, `${status} for ${line.slice(0, 40)}`)
    }
    t.equal((await send(['GET /health/live HTTP/1.1'])).status, 200)
  })

  t.test('a raw U+0000 or a lone surrogate on its way through chunks never reaches the database', async t => {
    const before = await query('select count(*) from legal_documents')
    for (const title of [Buffer.from('\\u0000'), Buffer.from([0]), Buffer.from('\\ud800'), Buffer.from('\\udc00\\ud800')]) {
      error(t, await send([...post, 'transfer-encoding: chunked'], chunked(...json(title))), 400, /^body/)
    }
    t.strictSame(await query('select count(*) from legal_documents'), before)
  })
})
