import fc, { type Arbitrary } from 'fast-check'
import { positions, Reference } from './knowledge.js'

/** As much of JSON Schema as the document's inputs use. */
export interface InputSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: InputSchema
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
}

/** Texts that have broken some service before. */
const nasty = fc.constantFrom(
  '', ' ', '\0', 'a\0b', '\ud800', 'x\udfff', '%', '_', '\\', "'; drop table users; --", '{{7*7}}', '../../etc/passwd', '__proto__',
  'constructor', '\u202e', 'İ', 'ß', '👩‍👩‍👧', 'null', 'undefined', 'NaN', '1e9', '0x10', '-0', '9007199254740993', 'true', '2026-02-30T00:00:00Z',
  '2026-12-31T23:59:60Z', '9999-12-31T23:59:59-23:59', 'urn:uuid:00000000-0000-7000-8000-000000000000', 'a'.repeat(129), 'é'.repeat(301)
)

const text = fc.oneof({ weight: 3, arbitrary: fc.string({ maxLength: 40 }) }, { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) })

/** Any text at all, also one that the service must refuse. */
export const anyText = fc.oneof(text, nasty)

/** A value of any kind, seldom what is asked for. */
const anything: Arbitrary<unknown> = fc.oneof(
  anyText, fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant([]), fc.constant({}), fc.jsonValue({ maxDepth: 2 }),
  fc.constant(JSON.parse('{"__proto__": {"admin": true}}') as unknown)
)

/** Fields that name something, by what they name. */
const naming: Readonly<Record<string, string>> = {
  startupIds: 'startups',
  governmentId: 'governments',
  governmentContactId: 'government-contacts',
  documentId: 'documents',
  signalId: 'signals'
}

/** Something of this kind that will be known. */
export function reference (kind: string): Arbitrary<Reference> {
  return fc.nat(positions - 1).map(position => new Reference(kind, position))
}

/** A value that the schema of this field allows; of one that names something mostly a reference. */
export function validField (name: string, schema: InputSchema): Arbitrary<unknown> {
  const kind = naming[name]
  if (kind === undefined) return valid(schema)
  const known = schema.type === 'array' ? fc.array(reference(kind), { minLength: 1, maxLength: 3 }) : reference(kind)
  return fc.oneof({ weight: 6, arbitrary: known }, { weight: 1, arbitrary: valid(schema) })
}

/** A value that the schema allows, as far as it says. */
export function valid (schema: InputSchema): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'boolean': return fc.boolean()
    case 'integer': return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 1000) })
    case 'array': return fc.array(valid(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 3, 3) })
    case 'object': return validObject(schema)
    default: return validText(schema)
  }
}

function validObject ({ properties = {}, required = [] }: InputSchema): Arbitrary<unknown> {
  return fc.record(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, validField(name, schema)])), { requiredKeys: [...required] })
}

function validText (schema: InputSchema): Arbitrary<unknown> {
  if (schema.format === 'date-time') return fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }).map(date => date.toISOString())
  const examples = schema.examples === undefined ? [] : [fc.constantFrom(...schema.examples)]
  // Versions and the platform's ids: no other input has a pattern that this misses.
  if (schema.pattern !== undefined) return fc.oneof(...examples, fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)).map(numbers => numbers.join('.')))
  const constraints = { minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 40, Math.max(40, schema.minLength ?? 0)) }
  return fc.oneof(...examples, fc.string({ ...constraints, unit: fc.constantFrom(...'abcxyzÄß漢 %_\\😀') }))
}

/** A value that is valid, or broken in one place, or of another kind altogether. */
export function perhapsBroken (schema: InputSchema): Arbitrary<unknown> {
  if (schema.type !== 'object') return fc.oneof({ weight: 3, arbitrary: valid(schema) }, { weight: 1, arbitrary: anything })
  const names = Object.keys(schema.properties ?? {})
  return fc.oneof(
    { weight: 6, arbitrary: valid(schema) },
    {
      weight: 3,
      arbitrary: fc.tuple(valid(schema), fc.constantFrom(...names, 'more', '__proto__'), anything)
        .map(([value, name, broken]) => ({ ...value as object, [name]: broken }))
    },
    { weight: 1, arbitrary: anything }
  )
}
