import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

const usual = 3000
const tries = 100

/**
 * The port to serve on: the one asked for, or else 3000 or the next free one after it. Throws when what was asked for
 * is taken.
 */
export async function choosePort (host: string, asked: string | undefined): Promise<string> {
  if (asked !== undefined) {
    // What is no port at all is for the configuration to refuse.
    if (!/^\d{1,5}$/.test(asked) || Number(asked) > 65_535) return asked
    const port = await tryPort(host, Number(asked))
    if (port === undefined) throw new Error(`PORT ${asked} is taken by another program`)
    return String(port)
  }
  for (let port = usual; port < usual + tries; port++) {
    if (await tryPort(host, port) !== undefined) return String(port)
  }
  throw new Error(`All ports from ${usual} to ${usual + tries - 1} are taken: set PORT`)
}

/** Returns the port if it is free, a free one for 0, and undefined if it is taken. */
async function tryPort (host: string, port: number): Promise<number | undefined> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  } finally {
    server.close()
  }
}
