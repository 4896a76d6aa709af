import { connect, createServer, type AddressInfo } from 'node:net'
import type { Test } from 'tap'

/**
 * The address of a way to the database that breaks as soon as a text is sent on it: before it arrives, or, with
 * `answerOnly`, when the server has done what it asks for.
 */
export async function cutAt (t: Test, url: string, text: string, answerOnly: boolean): Promise<string> {
  const target = new URL(url)
  const server = createServer(near => {
    const far = connect(Number(target.port), target.hostname)
    let isSent = false
    const end = () => {
      near.destroy()
      far.destroy()
    }
    near.on('data', chunk => {
      isSent ||= chunk.includes(text)
      if (isSent && !answerOnly) end()
      else far.write(chunk)
    })
    far.on('data', chunk => {
      if (isSent) end()
      else near.write(chunk)
    })
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.close() })
  const way = new URL(url)
  way.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return way.href
}
