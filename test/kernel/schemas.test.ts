import t from 'tap'
import { adminClaims, testApp } from '../helper.js'
import { registeredRoutes } from '../routes.js'

interface Node {
  readonly [key: string]: unknown
  readonly type?: string | readonly string[]
  readonly properties?: Record<string, Node>
  readonly additionalProperties?: boolean
}

interface Operation {
  readonly parameters?: Array<{ readonly name: string, readonly in: string, readonly schema: Node }>
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Node }> }
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

t.test('the request schemas of the running app', async t => {
  const { as, app } = await testApp(t)
  const document = (await (await as(adminClaims)).get('/openapi.json')).json
  const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    methods.flatMap(method => item[method] === undefined ? [] : [[`${method.toUpperCase()} ${path}`, item[method]] as const]))

  const resolve = (schema: Node): Node => {
    const reference = schema['$ref']
    if (typeof reference !== 'string') return schema
    return reference.split('/').slice(1).reduce<Node>((node, key) => node[key] as Node, document)
  }

  /** Places of strings that any text would pass: each must say what it takes. */
  function unbounded (schema: Node, place: string): string[] {
    const node = resolve(schema)
    const found = [node['type']].flat().includes('string') && !['format', 'pattern', 'enum', 'const'].some(key => key in node) ? [place] : []
    const inner = Object.entries(node.properties ?? {}).flatMap(([name, property]) => unbounded(property, `${place}.${name}`))
    const items = node['items'] === undefined ? [] : unbounded(node['items'] as Node, `${place}[]`)
    const choices = (['anyOf', 'oneOf', 'allOf'] as const).flatMap(key => ((node[key] ?? []) as Node[]).flatMap(choice => unbounded(choice, place)))
    return [...found, ...inner, ...items, ...choices]
  }

  t.ok(operations.length >= 18, `${operations.length} operations`)

  for (const [name, operation] of operations) {
    t.test(name, async t => {
      t.test('every string of its request has a format, a pattern or an enum', async t => {
        const parameters = (operation.parameters ?? []).filter(({ in: place }) => place !== 'header')
        t.same(parameters.flatMap(parameter => unbounded(parameter.schema, `${parameter.in}.${parameter.name}`)), [])
        t.same(Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => unbounded(schema, 'body')), [])
      })

      if (name.includes('/legal/') && operation.requestBody !== undefined) {
        t.test('refuses unknown fields of its body', async t => {
          for (const { schema } of Object.values(operation.requestBody?.content ?? {})) t.equal(resolve(schema).additionalProperties, false)
        })
      }
    })
  }

  t.test('no route is left out of the document but the pages for people', async t => {
    const documented = new Set<string>(operations.map(([name]) => name))
    const routes = registeredRoutes(app).filter(({ method, path }) => method !== 'HEAD' && !path.startsWith('/documentation'))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    t.ok(routes.length >= 18, `${routes.length} routes`)
    t.same(routes.filter(route => !documented.has(route)), [])
    t.same([...documented].filter(route => !routes.includes(route)), [])
  })
})
