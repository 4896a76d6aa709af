import t, { type Test } from 'tap'
import { testApp } from '../helper.js'

interface Schema {
  readonly $ref?: string
  readonly example?: unknown
  readonly examples?: unknown
  readonly type?: unknown
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: Record<string, Schema>
}
interface Content {
  readonly description?: string
  readonly content?: Record<string, { schema: Schema, example?: unknown, examples?: unknown }>
}
interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: string[]
  readonly security?: unknown[]
  readonly parameters?: Array<{ name: string, in: string, description?: string }>
  readonly requestBody?: Content
  readonly responses: Record<string, Content>
}
interface Document {
  readonly openapi: string
  readonly tags: Array<{ name: string }>
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, Schema> }
}

async function readDocument (t: Test): Promise<Document> {
  const { as } = await testApp(t)
  return (await (await as()).get('/openapi.json')).json
}

function operations (document: Document): Array<[string, Operation]> {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]))
}

/** Whether a reader finds an example of the value: with the schema itself, or with each part that it is made of. */
function hasExample (schema: Schema, document: Document): boolean {
  if (schema.example !== undefined || schema.examples !== undefined || schema.const !== undefined) return true
  if (schema.$ref !== undefined) return hasExample(document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema, document)
  if (schema.items !== undefined) return hasExample(schema.items, document)
  if (schema.properties !== undefined) {
    const structured = Object.values(schema.properties).filter(part => part.items !== undefined || part.properties !== undefined || part.$ref !== undefined)
    return structured.length > 0 && structured.every(part => hasExample(part, document))
  }
  return false
}

t.test('the OpenAPI document is 3.1 and describes every operation for a reader and for a client generator', async t => {
  const document = await readDocument(t)
  t.match(document.openapi, /^3\.1\./)
  const known = new Set(document.tags.map(tag => tag.name))
  const ids = new Set<string>()
  for (const [name, operation] of operations(document)) {
    t.match(operation.operationId, /^[a-z][A-Za-z]+$/, `${name} has an operationId`)
    t.notOk(ids.has(operation.operationId as string), `${name} has an operationId of its own`)
    ids.add(operation.operationId as string)
    t.ok((operation.summary ?? '').length > 5, `${name} has a summary`)
    t.ok((operation.description ?? '').length > 15, `${name} has a description`)
    t.ok(operation.tags?.length === 1 && known.has(operation.tags[0] as string), `${name} has one tag that is described`)
    t.ok(Array.isArray(operation.security), `${name} says whether it needs a token`)
    t.same((operation.parameters ?? []).filter(parameter => (parameter.description ?? '').length < 5), [], `${name} describes its parameters`)
    for (const [status, response] of Object.entries(operation.responses)) {
      t.not(response.description, 'Default Response', `${name} describes its ${status}`)
    }
  }
})

t.test('every operation names each status that it can answer', async t => {
  const document = await readDocument(t)
  for (const [name, operation] of operations(document)) {
    const statuses = Object.keys(operation.responses)
    const expected = ['500', '503']
    if ((operation.security ?? []).length > 0) expected.push('401')
    if ((operation.security ?? []).length > 0 && !['Legal acceptance'].includes(operation.tags?.[0] as string)) expected.push('403')
    // Whoever sends a body where none is asked for is told so, too.
    if (!name.startsWith('GET ')) expected.push('400', '413', '415')
    if ((operation.security ?? []).length > 0) expected.push('400')
    if ((operation.parameters ?? []).some(parameter => parameter.in === 'query')) expected.push('400')
    if (operation.tags?.[0] === 'Service') expected.length = 0
    for (const status of expected) t.ok(statuses.includes(status), `${name} names ${status}`)
  }
})

t.test('every body and every answer comes with an example', async t => {
  const document = await readDocument(t)
  for (const [name, operation] of operations(document)) {
    const contents: Array<[string, Content | undefined]> = [['body', operation.requestBody], ...Object.entries(operation.responses)]
    for (const [part, content] of contents) {
      const media = content?.content?.['application/json']
      if (media === undefined || name === 'GET /openapi.json') continue
      t.ok((media.example ?? media.examples) !== undefined || hasExample(media.schema, document), `${name} has an example of its ${part}`)
    }
  }
})

t.test('under a base path the server names it, the paths do not repeat it, and the picture is where the description says', async t => {
  const { as } = await testApp(t, { env: { BASE_PATH: '/api/v1' } })
  const client = await as()
  const { json } = await client.get('/api/v1/openapi.json')
  t.same(json.servers, [{ url: '/api/v1' }])
  for (const path of Object.keys(json.paths)) t.notMatch(path, /^\/api\/v1/)
  const link = /!\[[^\]]+\]\(([^)]+)\)/.exec(json.info.description)?.[1] as string
  const picture = await client.get(new URL(link, 'http://host/api/v1/documentation').pathname)
  t.equal(picture.status, 200)
  t.match(picture.headers['content-type'], /^image\/svg\+xml/)
})
