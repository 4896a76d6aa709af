import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type BuildSerializer = NonNullable<CompilersFactory['buildSerializer']>
type Serialize = ReturnType<ReturnType<BuildSerializer>>

/**
 * Fastify's own compiler of response schemas, but each distinct schema is compiled once: it would do it anew for each
 * route and status, and with every component of the document, which is most of the time that a start takes.
 */
export function sharedSerializers (): BuildSerializer {
  const build = SerializerSelector() as BuildSerializer
  return (components, options) => {
    const compile = build(components, options)
    const compiled = new Map<string, Serialize>()
    return route => {
      const { description: _description, ...schema } = route.schema as { description?: string }
      const key = JSON.stringify(schema)
      const known = compiled.get(key)
      if (known !== undefined) return known
      const serialize = compile(route)
      compiled.set(key, serialize)
      return serialize
    }
  }
}
