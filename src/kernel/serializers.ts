import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type BuildSerializer = NonNullable<CompilersFactory['buildSerializer']>
type Serialize = ReturnType<ReturnType<BuildSerializer>>

/**
 * Fastify's own compiler of response schemas, but each distinct schema is compiled once and with the components that it
 * refers to: it would do it anew for each route and status, and with all of them, which is most of what a start takes.
 */
export function sharedSerializers (): BuildSerializer {
  const build = SerializerSelector() as BuildSerializer
  return (components, options) => {
    const compiled = new Map<string, Serialize>()
    return route => {
      const { description: _description, ...schema } = route.schema as { description?: string }
      const text = JSON.stringify(schema)
      const known = compiled.get(text)
      if (known !== undefined) return known
      const serialize = build(referredIn(text, components as Record<string, unknown>), options)(route)
      compiled.set(text, serialize)
      return serialize
    }
  }
}

/** The components that a schema, given as JSON, refers to, directly or by way of others. */
function referredIn (text: string, components: Readonly<Record<string, unknown>>, found: Record<string, unknown> = {}): Record<string, unknown> {
  for (const [, name = ''] of text.matchAll(/"\$ref":"([^"#]+)#/g)) {
    const component = components[name]
    if (component === undefined || name in found) continue
    found[name] = component
    referredIn(JSON.stringify(component), components, found)
  }
  return found
}
