import type { FastifyInstance } from 'fastify'

export interface Route { readonly method: string, readonly path: string }

/** Every route that the application has registered, read from the router's own tree, so that none can be forgotten. */
export function registeredRoutes (app: FastifyInstance): Route[] {
  const parts: string[] = []
  return app.printRoutes().split('\n').flatMap(line => {
    const [, indent, label, methods] = /^([│ ]*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?/.exec(line) ?? []
    if (indent === undefined || label === undefined) return []
    parts.length = indent.length / 4
    parts.push(label)
    return (methods?.split(', ') ?? []).map(method => ({ method, path: parts.join('') }))
  })
}
