import fc from 'fast-check'
import t from 'tap'
import { adminClaims } from '../helper.js'
import { legalApp } from '../legal/helper.js'

interface Schema { readonly $ref?: string, readonly properties?: Record<string, Schema>, readonly enum?: string[], readonly type?: string }
interface Operation {
  readonly parameters?: Array<{ readonly name: string, readonly in: string, readonly schema: Schema }>
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}

const texts = [
  '', ' ', '\0', 'a\0b', '\ud800', 'x\udfff', '\ufeff', '\u202e', '\u{1F469}\u200d\u{1F4BB}', 'é', 'e\u0301', 'İ', 'ß', '\u{10ffff}', 'x'.repeat(300), 'x'.repeat(5000),
  '\u{1F600}'.repeat(255), "' or 1=1 --", '"', '\\', '\\u0000', '%', '%%', '%00', '_', '../..', '/', '?', '#', '&', '=', '+', ';', '\n', '\r\n', '\t', '{}', '[]', 'null', 'undefined',
  'true', 'false', 'NaN', 'Infinity', '-0', '0', '1', '-1', '1.5', '1e2', '1e400', '0x10', '9007199254740991', '9007199254740993', '9'.repeat(400), '2147483648',
  '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'terms', 'privacy', '1.0.0', '2026-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59.999Z',
  '2026-02-30T00:00:00Z', '019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f', '019A4C1E-5B7A-7C3D-9E2F-1A2B3C4D5E6F', '{019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f}', 'startup-1', 'admin-1',
  'signal_unassigned', 'archived', 'approved'
]
const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...texts) }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) })
const value = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -0, 1, -1, 1.5, 3650, 2147483648, 2 ** 53, 1e300, [], {}, [[]], ['x'], [null], { a: { b: 1 } }) },
  { weight: 1, arbitrary: fc.array(text, { maxLength: 4 }) }
)

t.test('no input whatever is answered with a 5xx, and every refusal has the shape of errors', async t => {
  const { app, as, published, draft } = await legalApp(t)
  const admin = await as({ ...adminClaims, startupId: 'startup-1' })
  await admin.put('/govintel/startups/startup-1', { name: 'One' })
  const known = [(await published()).id, (await draft()).id, (await admin.post('/govintel/signals', { title: 'T', description: 'D' })).json.id]
  const document = app.swagger() as unknown as { paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, Schema> } }

  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(item)) {
      if (!['get', 'post', 'put', 'patch', 'delete'].includes(method) || path === '/openapi.json') continue
      const schema = requestBody?.content['application/json'].schema
      const bodySchema = schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) as string]
      const fields = Object.entries(bodySchema?.properties ?? {})
      const fieldOf = ({ enum: choices, type }: Schema) => fc.oneof(value, choices !== undefined ? fc.constantFrom(...choices) : type === 'integer' ? fc.integer() : type === 'boolean' ? fc.boolean() : text)
      const body = fc.oneof(
        { weight: 5, arbitrary: fc.record(Object.fromEntries([...fields.map(([name, field]) => [name, fieldOf(field)] as const), ['other', fc.constant(undefined)]]), { requiredKeys: [] }) },
        { weight: 1, arbitrary: value },
        { weight: 1, arbitrary: fc.jsonValue() }
      )
      const query = fc.record(Object.fromEntries(parameters.filter(({ in: place }) => place === 'query').map(({ name }) => [name, text])), { requiredKeys: [] })
      const segment = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...known, 'terms', 'privacy') }, { weight: 2, arbitrary: text })

      t.test(`${method.toUpperCase()} ${path}`, async t => {
        await fc.assert(fc.asyncProperty(body, query, fc.array(segment, { minLength: 2, maxLength: 2 }), async (payload, parameters, segments) => {
          let place = 0
          const search = Object.entries(parameters).map(([name, given]) => `${name}=${encode(given as string)}`).join('&')
          const answer = await admin.send({
            method: method.toUpperCase() as 'POST',
            url: `${path.replace(/\{\w+\}/g, () => encode(segments[place++] as string))}?${search}`,
            ...(requestBody !== undefined && { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(payload) ?? '' })
          })
          if (answer.status >= 500 || (answer.status >= 400 && !['error', 'message', 'statusCode'].every(key => key in (answer.json ?? {})))) {
            throw new Error(`${answer.status} ${answer.body.slice(0, 300)}`)
          }
        }), { numRuns: 40 })
        t.pass('40 inputs')
      })
    }
  }
})

/** As a client would that encodes whatever it has, lone surrogates in the three bytes that they would take. */
function encode (given: string): string {
  return Array.from(given, character => character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80').join('')
}
