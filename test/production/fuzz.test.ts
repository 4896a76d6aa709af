import t from 'tap'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc, { type Arbitrary } from 'fast-check'
import type { InjectOptions } from 'fastify'
import { isDateTime } from '../../src/kernel/validation.js'
import { adminClaims, testApp, token } from '../helper.js'
import { anyText, type InputSchema, perhapsBroken, reference, validField } from './arbitraries.js'
import { Knowledge, Reference } from './knowledge.js'

const usual = 20_000
/** More by this variable. */
const total = Number(process.env['FUZZ_REQUESTS'] ?? usual)
const atOnce = 25

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: InputSchema
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: InputSchema } } }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** What is drawn. */
interface Draw {
  readonly operation: Target
  readonly caller: number
  readonly path: ReadonlyArray<Reference | string>
  readonly query: ReadonlyArray<readonly [string, unknown]>
  readonly headers: Readonly<Record<string, string>>
  readonly mediaType: string
  readonly body: unknown
}

interface Target extends Operation {
  readonly method: string
  readonly template: string
}

t.test(`${total} random requests: no 5xx, only documented statuses, bodies of their schemas`, async t => {
  const { app, as } = await testApp(t)
  const document = (await (await as()).get('/openapi.json')).json as Document
  const targets: Target[] = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), template })))
  const check = responseChecker(document)

  const people = [
    undefined,
    'not.a.token',
    await token({ sub: 'user-1', email: 'one@example.com' }),
    await token(adminClaims),
    await token(adminClaims),
    await token({ sub: 'founder-1', startupId: 'startup-aurora' }),
    await token({ sub: 'founder-2', startupId: 'startup-2' }),
    await token({ ...adminClaims, sub: 'admin-2', startupId: 'startup-aurora' }),
    await token({ sub: 'stranger', startupId: 'unknown' })
  ]
  const startups = ['startup-aurora', 'startup-2']
  const knowledge = new Knowledge({
    startups, governments: ['government-1'], 'government-contacts': ['contact-1'], users: ['user-1', 'admin-1']
  })
  const admin = await as(adminClaims)
  for (const id of startups) await admin.put(`/govintel/startups/${id}`, { name: id })
  await admin.put('/govintel/governments/government-1', { name: 'Government' })
  await admin.put('/govintel/government-contacts/contact-1', { governmentId: 'government-1', name: 'Contact' })

  /** How many answers of each status an operation has had. */
  const answered = new Map(targets.map(({ operationId }) => [operationId, new Map<number, number>()]))

  async function send ({ operation, caller, path, query, headers, mediaType, body }: Draw): Promise<void> {
    const { operationId } = operation
    const known = (value: unknown): unknown => value instanceof Reference ? knowledge.find(value, operationId) : value
    const drawn = [...path]
    const url = operation.template.replace(/\{\w+\}/g, () => encode(String(known(drawn.shift()))))
    const search = query.map(([name, value]) => `${encode(name)}=${encode(String(known(value)))}`).join('&')
    const bearer = people[caller]
    const options: InjectOptions = {
      method: operation.method as 'GET',
      url: search === '' ? url : `${url}?${search}`,
      headers: { ...(body !== undefined && { 'content-type': mediaType }), ...headers, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) },
      ...(body !== undefined && { payload: JSON.stringify(body, (_name, value) => known(value)) })
    }
    const answer = await app.inject(options)
    const { statusCode } = answer
    const what = () => `${JSON.stringify(options)} answered ${statusCode} ${answer.body.slice(0, 500)}`
    const counts = answered.get(operationId)
    counts?.set(statusCode, (counts.get(statusCode) ?? 0) + 1)
    if (statusCode >= 500) throw new Error(`Failure: ${what()}`)
    if (!(statusCode in operation.responses)) throw new Error(`Not documented: ${what()}`)
    const problem = check(operation, statusCode, answer.body)
    if (problem !== undefined) throw new Error(`${problem}: ${what()}`)
    if (statusCode < 300 && operation.method !== 'GET') knowledge.learn(operationId, answer.json())
  }

  const draw = fc.oneof(...targets.map(operation => ({ weight: weightOf(operation), arbitrary: drawOf(operation, people.length) })))
  await fc.assert(
    fc.asyncProperty(fc.array(draw, { minLength: atOnce, maxLength: atOnce, size: 'max' }), async draws => { await Promise.all(draws.map(send)) }),
    { numRuns: Math.ceil(total / atOnce), endOnFailure: true }
  )

  const countOf = (operationId: string, isCounted: (status: number) => boolean): number =>
    [...answered.get(operationId) ?? []].reduce((sum, [status, count]) => isCounted(status) ? sum + count : sum, 0)
  const ids = targets.map(({ operationId }) => operationId)
  const count = ids.reduce((sum, id) => sum + countOf(id, () => true), 0)
  t.ok(count >= total, `${count} requests were answered`)
  t.same(ids.filter(id => countOf(id, () => true) === 0), [], 'every operation was called')
  const successes = ids.map(id => [id, countOf(id, status => status < 300)] as const).sort(([, a], [, b]) => a - b)
  t.comment(`successes: ${successes.map(([id, count]) => `${id} ${count}`).join(', ')}`)
  // Fewer requests by far need not get everywhere.
  if (total >= usual) t.same(successes.filter(([, count]) => count === 0), [], 'every operation has succeeded')
})

/** The steps that need others before them more often, or they would hardly ever be due. */
function weightOf ({ method, template }: Target): number {
  if (method === 'GET') return 1
  return /accept|request-contact|approve|reject/.test(template) ? 4 : 2
}

function drawOf (operation: Target, callers: number): Arbitrary<Draw> {
  const parameters = operation.parameters ?? []
  const schema = operation.requestBody?.content['application/json'].schema
  const query = parameters.filter(parameter => parameter.in === 'query')
  const headers = parameters.filter(parameter => parameter.in === 'header')
  return fc.record({
    operation: fc.constant(operation),
    caller: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...entitled(operation.template)) }, { weight: 1, arbitrary: fc.nat(callers - 1) }),
    path: fc.tuple(...parameters.filter(parameter => parameter.in === 'path').map(parameter => pathValue(parameter, operation.template))),
    query: fc.tuple(...query.map(({ name, schema }) => fc.option(
      fc.tuple(fc.constant(name), fc.oneof({ weight: 3, arbitrary: validField(name, schema) }, { weight: 1, arbitrary: anyText })), { nil: undefined }
    ))).chain(entries => fc.constantFrom<Draw['query']>(entries.filter(entry => entry !== undefined), entries.concat(entries).filter(entry => entry !== undefined))),
    headers: fc.tuple(...headers.map(({ name }) => fc.string({ maxLength: 20, unit: fc.constantFrom(...'"W/*,abc ') }).map(value => [name, value]))).map(Object.fromEntries),
    mediaType: fc.oneof({ weight: 15, arbitrary: fc.constant('application/json') }, fc.constantFrom(...otherMediaTypes)),
    body: bodyOf(operation.method, schema)
  }) as Arbitrary<Draw>
}

const otherMediaTypes = ['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'multipart/form-data; boundary=x', 'nonsense']

/** Now and then also where none is asked for. */
function bodyOf (method: string, schema: InputSchema | undefined): Arbitrary<unknown> {
  if (method === 'GET') return fc.constant(undefined)
  if (schema === undefined) return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, anyText)
  return fc.option(perhapsBroken(schema), { nil: undefined, freq: 10 })
}

/** The positions of the callers whom the operation is for. */
function entitled (template: string): number[] {
  if (/^\/(startup|signal-pool)/.test(template)) return [5, 6, 7]
  return /^\/(govintel|contact-requests|legal\/admin)/.test(template) ? [3, 4, 7] : [2, 3, 5, 6]
}

/** Mostly something known; otherwise any text but the two that a URL parser takes for steps. */
function pathValue ({ name, schema }: Parameter, template: string): Arbitrary<Reference | string> {
  if (schema.enum !== undefined) return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...schema.enum as string[]) }, fc.constant('unknown'))
  return fc.oneof(
    { weight: 10, arbitrary: reference(name === 'version' ? 'versions' : kindOf(template)) },
    { weight: 1, arbitrary: fc.uuid({ version: 7 }) },
    { weight: 1, arbitrary: anyText.filter(value => !['', '.', '..'].includes(value)) }
  )
}

function kindOf (template: string): string {
  if (/signal/.test(template)) return 'signals'
  return /(startups|governments|government-contacts|users|documents|contact-requests)/.exec(template)?.[0] ?? ''
}

/** Lone surrogates as the bytes that a careless client would send for them. */
function encode (value: string): string {
  return [...value].map(character => character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80').join('')
}

/** Returns what is wrong with a body, or undefined. */
function responseChecker (document: Document): (operation: Target, status: number, body: string) => string | undefined {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': isDateTime, text: true, content: true } })
  ajv.addSchema(document, 'document')
  const validators = new Map<string, ValidateFunction>()
  return ({ method, template, responses }, status, body) => {
    if (responses[status]?.content?.['application/json'] === undefined) return body === '' ? undefined : 'A body where none is documented'
    const pointer = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content', 'application/json', 'schema']
      .map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    let validate = validators.get(pointer)
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `document#/${pointer}` })
      validators.set(pointer, validate)
    }
    return validate(JSON.parse(body)) ? undefined : `Not of its schema (${ajv.errorsText(validate.errors)})`
  }
}
