import { connect, type AddressInfo } from 'node:net'
import t from 'tap'
import { testApp } from '../helper.js'

const body = '{"type":"terms"}'

// What it waits for are the limits themselves; side by side they take no longer than the longest.
t.jobs = 4
t.setTimeout(120_000)

const rows = [
  ['a head that does not end', 'GET /legal/status HTTP/1.1\r\nhost: a\r\n', 20, 26],
  ['a head that comes line by line', 'GET /legal/status HTTP/1.1\r\nhost: a\r\n', 20, 26, 'x: y\r\n'],
  ['a body that does not come', `POST /legal/accept HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`, 30, 36],
  ['a body that comes byte by byte', 'POST /legal/accept HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n', 30, 36, ' ']
] as const

for (const [name, bytes, least, most, drip] of rows) {
  t.test(`${name} is 408 after ${least} s`, async t => {
    const { app, as } = await testApp(t)
    const { token = '' } = await as({ sub: 'slow' })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const startedAt = performance.now()
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(port, '127.0.0.1').setEncoding('latin1')
        .on('data', (chunk: string) => { text += chunk }).on('error', reject).on('close', () => { resolve(text) })
      socket.write(bytes.replace('host: a\r\n', `host: a\r\nauthorization: Bearer ${token}\r\n`))
      const timer = setInterval(() => { if (drip !== undefined && socket.writable) socket.write(drip) }, 1000)
      socket.on('close', () => { clearInterval(timer) })
    })
    const seconds = (performance.now() - startedAt) / 1000
    t.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
    t.match(answer, /"message":"The request took too long to arrive"\}$/)
    t.ok(seconds >= least - 0.1, `not before: ${seconds.toFixed(1)} s`)
    // Node looks every five seconds; a busy machine may be late.
    t.ok(seconds <= most + 10, 'and soon after')
  })
}
