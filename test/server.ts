import { readFileSync } from 'node:fs'

/** Where `test/before.ts` leaves what the test files need to know of the server. */
export const serverFile = new URL('../.local/test-server.json', import.meta.url)

export interface TestServer {
  /** A database of the server to administer it from. */
  readonly url: string
  /** The migrated database that tests clone. */
  readonly template: string
}

/** The server that `test/before.ts` made ready. */
export function testServer (): TestServer {
  return JSON.parse(readFileSync(serverFile, 'utf8')) as TestServer
}
