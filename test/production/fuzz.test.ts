import t from 'tap'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc, { type Arbitrary } from 'fast-check'
import type { InjectOptions } from 'fastify'
import { isDateTime } from '../../src/kernel/validation.js'
import { adminClaims, testApp, token } from '../helper.js'
import { anyText, type InputSchema, perhapsBroken, valid } from './arbitraries.js'

/** More by this variable. */
const total = Number(process.env['FUZZ_REQUESTS'] ?? 20_000)
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

/** What is drawn; ids are drawn as positions in the list of those known when the request is sent. */
interface Draw {
  readonly operation: Target
  readonly caller: number
  readonly path: ReadonlyArray<number | string>
  readonly query: ReadonlyArray<readonly [string, unknown]>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

interface Target extends Operation {
  readonly method: string
  readonly template: string
}

/** Few, so that requests meet in the same things. */
const idsKept = 6

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
  const known: Record<string, string[]> = {
    startups: ['startup-1', 'startup-2'],
    governments: ['government-1'],
    'government-contacts': ['contact-1'],
    users: ['user-1', 'admin-1'],
    signals: [],
    documents: [],
    'contact-requests': []
  }
  const admin = await as(adminClaims)
  for (const id of known['startups'] as string[]) await admin.put(`/govintel/startups/${id}`, { name: id })
  await admin.put('/govintel/governments/startup-aurora', { name: 'Government' })
  await admin.put('/govintel/government-contacts/startup-aurora', { governmentId: 'startup-aurora', name: 'Contact' })

  const seen = new Map<string, number>()
  const answered = new Map<string, Set<number>>()

  async function send ({ operation, caller, path, query, headers, body }: Draw): Promise<void> {
    const ids = known[kindOf(operation.template)] ?? []
    const drawn = [...path]
    const url = operation.template.replace(/\{\w+\}/g, () => {
      const value = drawn.shift() as number | string
      return encode(typeof value === 'string' ? value : ids[value % Math.max(ids.length, 1)] ?? 'none')
    })
    const search = query.map(([name, value]) => `${encode(name)}=${encode(String(value))}`).join('&')
    const bearer = people[caller]
    const options: InjectOptions = {
      method: operation.method as 'GET',
      url: search === '' ? url : `${url}?${search}`,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) },
      ...(body !== undefined && { payload: JSON.stringify(body) })
    }
    const answer = await app.inject(options)
    const { statusCode } = answer
    const what = () => `${JSON.stringify(options)} answered ${statusCode} ${answer.body.slice(0, 500)}`
    seen.set(operation.operationId, (seen.get(operation.operationId) ?? 0) + 1)
    answered.set(operation.operationId, (answered.get(operation.operationId) ?? new Set()).add(statusCode))
    if (statusCode >= 500) throw new Error(`Failure: ${what()}`)
    if (!(statusCode in operation.responses)) throw new Error(`Not documented: ${what()}`)
    const problem = check(operation, statusCode, answer.body)
    if (problem !== undefined) throw new Error(`${problem}: ${what()}`)
    if (statusCode === 201) learn(operation, answer.json())
  }

  function learn ({ template }: Target, body: { id?: string, contactRequest?: { id: string } }): void {
    const id = body.contactRequest?.id ?? body.id
    const ids = known[body.contactRequest === undefined ? kindOf(template) : 'contact-requests']
    if (id === undefined || ids === undefined) return
    ids.push(id)
    if (ids.length > idsKept) ids.shift()
  }

  const draw = fc.oneof(...targets.map(operation => ({ weight: operation.method === 'GET' ? 1 : 2, arbitrary: drawOf(operation, people.length) })))
  await fc.assert(
    fc.asyncProperty(fc.array(draw, { minLength: atOnce, maxLength: atOnce, size: 'max' }), async draws => { await Promise.all(draws.map(send)) }),
    { numRuns: Math.ceil(total / atOnce), endOnFailure: true }
  )

  const count = [...seen.values()].reduce((sum, each) => sum + each, 0)
  t.ok(count >= total, `${count} requests were answered`)
  t.same(targets.filter(target => !seen.has(target.operationId)).map(target => target.operationId), [], 'every operation was called')
  const never = targets.filter(target => ![...answered.get(target.operationId) ?? []].some(status => status < 300)).map(target => target.operationId)
  t.comment(never.length === 0 ? 'every operation succeeded at least once' : `never succeeded: ${never.join()}`)
})

function drawOf (operation: Target, callers: number): Arbitrary<Draw> {
  const parameters = operation.parameters ?? []
  const schema = operation.requestBody?.content['application/json'].schema
  const query = parameters.filter(parameter => parameter.in === 'query')
  const headers = parameters.filter(parameter => parameter.in === 'header')
  return fc.record({
    operation: fc.constant(operation),
    caller: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...entitled(operation.template)) }, { weight: 1, arbitrary: fc.nat(callers - 1) }),
    path: fc.tuple(...parameters.filter(parameter => parameter.in === 'path').map(pathValue)),
    query: fc.tuple(...query.map(({ name, schema }) => fc.option(
      fc.tuple(fc.constant(name), fc.oneof({ weight: 3, arbitrary: valid(schema) }, { weight: 1, arbitrary: anyText })), { nil: undefined }
    ))).chain(entries => fc.constantFrom<Draw['query']>(entries.filter(entry => entry !== undefined), entries.concat(entries).filter(entry => entry !== undefined))),
    headers: fc.tuple(...headers.map(({ name }) => fc.string({ maxLength: 20, unit: fc.constantFrom(...'"W/*,abc ') }).map(value => [name, value]))).map(Object.fromEntries),
    body: schema === undefined ? fc.constant(undefined) : fc.option(perhapsBroken(schema), { nil: undefined, freq: 10 })
  }) as Arbitrary<Draw>
}

/** The positions of the callers whom the operation is for. */
function entitled (template: string): number[] {
  if (/^\/(startup|signal-pool)/.test(template)) return [5, 6, 7]
  return /^\/(govintel|contact-requests|legal\/admin)/.test(template) ? [3, 4, 7] : [2, 3, 5, 6]
}

/** Mostly something known; otherwise any text but the two that a URL parser takes for steps. */
function pathValue ({ schema }: Parameter): Arbitrary<number | string> {
  if (schema.enum !== undefined) return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...schema.enum as string[]) }, fc.constant('unknown'))
  return fc.oneof(
    { weight: 10, arbitrary: fc.nat(idsKept - 1) },
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
