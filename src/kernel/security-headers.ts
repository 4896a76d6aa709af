import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

/**
 * The headers that helmet gives every answer. They do not depend on the request, so they are made once: helmet as a
 * hook would put the same texts together for each one.
 */
export const securityHeaders: Readonly<Record<string, string>> = collect()

function collect (): Record<string, string> {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => { headers[name.toLowerCase()] = value },
    removeHeader: () => {}
  }
  // The service itself speaks plain HTTP, behind whatever ends TLS.
  const protect = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } })
  protect({} as IncomingMessage, response as unknown as ServerResponse, () => {})
  return headers
}
