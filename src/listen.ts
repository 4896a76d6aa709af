import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { ConfigError } from './config.js'

/**
 * The address that `HOST` stands for; of `localhost` the one of IPv4. Throws ConfigError when it stands for none.
 * Names are resolved here, because Fastify would listen on all addresses of `localhost` but set up one of them only.
 */
export async function resolveHost (host: string): Promise<string> {
  try {
    return (await lookup(host, { order: 'ipv4first' })).address
  } catch {
    throw new ConfigError('HOST must be an address of this machine or a name of one')
  }
}

/** Waits for `listening` and throws ConfigError, one line that names the variable, when the address is at fault. */
export async function listenOrName (variable: 'PORT' | 'METRICS_PORT', listening: Promise<unknown>): Promise<void> {
  try {
    await listening
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'EADDRINUSE': throw new ConfigError(`${variable} is in use by another process`)
      case 'EACCES': throw new ConfigError(`${variable} may not be listened on by this account`)
      case 'EADDRNOTAVAIL':
      case 'EAFNOSUPPORT':
      case 'EINVAL': throw new ConfigError('HOST must be an address of this machine or a name of one')
      default: throw error
    }
  }
}

/** Listens for a moment: for who has others listen and wants to know beforehand that they can. */
export async function tryListening (host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}
