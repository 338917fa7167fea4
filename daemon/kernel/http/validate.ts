import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import { byteLimit } from '#contract/fields'
import { type Problem, problem } from '../problem.ts'

interface Flaw {
  keyword: string
  schemaPath: string
  instancePath: string
  message: string
  params: { requiredProperties?: string[]; additionalProperties?: string[]; allowedValues?: unknown[] }
}

/** The parts of a JSON schema that are read here. */
interface Schema {
  type?: string
  description?: string
  maxLength?: number
  [byteLimit]?: number
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
}

/** Returns the value with defaults filled in, or what is wrong with it. Query values are converted from text first. */
export type Validator = (value: unknown) => { value: unknown } | { problem: Problem }

/** Checks a body or query against its contract schema; the problem names the first invalid member. */
export function validator(schema: TSchema, from: 'body' | 'query'): Validator {
  // Compiled on first use: the daemon has hundreds of schemas and starts without them.
  let compiled: ReturnType<typeof Compile<TSchema>> | undefined
  return (given) => {
    compiled ??= Compile(schema)
    const base = given === undefined ? {} : given
    const value = Value.Default(schema, from === 'query' ? fromText(schema, base as Record<string, unknown>) : base)
    if (compiled.Check(value)) {
      const [long] = overlong(schema, value, '')
      return long === undefined ? { value } : { problem: tooLong(long) }
    }
    const flaws = compiled.Errors(value) as unknown as Flaw[]
    return { problem: describe(flaws, schema, value) }
  }
}

const compiledOnce = new WeakMap<TSchema, ReturnType<typeof Compile<TSchema>>>()

/** All that is wrong with a value, each as a problem that names the member. */
export function flawsIn(schema: TSchema, value: unknown): Problem[] {
  const compiled = compiledOnce.get(schema) ?? Compile(schema)
  compiledOnce.set(schema, compiled)
  const told = compiled.Check(value) ? [] : flawsOf(compiled, value).map((flaw) => describe([flaw], schema, value))
  const fields = new Set(told.map(({ field }) => field))
  return [...told, ...[...overlong(schema, value, '')].filter((long) => !fields.has(long)).map(tooLong)]
}

/** Flaws of one value that are looked for; the schema library stops at 8 otherwise. */
const mostFlaws = 500

function flawsOf(compiled: ReturnType<typeof Compile<TSchema>>, value: unknown): Flaw[] {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: mostFlaws })
  try {
    // What an unknown member is refused by is told once, of the object that it stands in.
    return (compiled.Errors(value) as unknown as Flaw[]).filter(({ keyword }) => keyword !== 'boolean').flatMap(oneEach)
  } finally {
    Settings.Set({ maxErrors })
  }
}

const tooLong = (field: string): Problem => problem('invalid_field', { field, detail: `${field} is too long` })

/** A flaw of several members as one of each. */
function oneEach(flaw: Flaw): Flaw[] {
  const { requiredProperties = [], additionalProperties = [] } = flaw.params
  if (flaw.keyword === 'required')
    return requiredProperties.map((name) => ({ ...flaw, params: { requiredProperties: [name] } }))
  if (flaw.keyword === 'additionalProperties')
    return additionalProperties.map((name) => ({ ...flaw, params: { additionalProperties: [name] } }))
  return [flaw]
}

/** Converts query values to the types of their schema. Values that do not convert are left for the check to refuse. */
function fromText({ properties = {} }: Schema, query: Record<string, unknown>): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(query)) {
    const schema = properties[name]
    // A switch without a value asks for nothing.
    if (schema?.type === 'boolean' && text === '') continue
    value[name] = schema ? convert(schema, text) : text
  }
  return value
}

function convert(schema: Schema, text: unknown): unknown {
  if (schema.type === 'array')
    return (Array.isArray(text) ? text : [text]).map((item) => convert(schema.items ?? {}, item))
  if (typeof text !== 'string') return text
  if (schema.type === 'integer' || schema.type === 'number')
    return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (schema.type === 'boolean') return { true: true, false: false, 1: true, 0: false }[text] ?? text
  return text
}

const promising = ['maxLength', 'items', 'anyOf', 'properties', 'patternProperties'] as const

/**
 * The members whose texts exceed their maxLength in code points, or their limit in bytes: the schema library counts
 * grapheme clusters.
 */
function* overlong(schema: Schema, value: unknown, at: string): Generator<string> {
  // Values without a schema may be nested without bound.
  if (!promising.some((word) => word in schema)) return
  const below = (name: string) => (at ? `${at}.${name}` : name)
  if (schema.anyOf) {
    const choices = schema.anyOf.filter(
      ({ type }) => typeof value !== 'string' || type === undefined || type === 'string',
    )
    const found = choices.map((choice) => [...overlong(choice, value, at)])
    if (typeof value !== 'string' || found.every((it) => it.length)) yield* found.find((it) => it.length) ?? []
    return
  }
  if (typeof value === 'string') {
    const { maxLength, [byteLimit]: bytes } = schema
    if (bytes !== undefined && Buffer.byteLength(value) > bytes) yield at
    else if (maxLength !== undefined && value.length > maxLength && [...value].length > maxLength) yield at
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* overlong(schema.items ?? {}, item, below(String(index)))
  } else if (typeof value === 'object' && value !== null) {
    const any = Object.values(schema.patternProperties ?? {})[0] ?? {}
    for (const [name, member] of Object.entries(value))
      yield* overlong(schema.properties?.[name] ?? any, member, below(name))
  }
}

function describe(flaws: Flaw[], schema: TSchema, value: unknown): Problem {
  const { keyword, instancePath, message, params, schemaPath } = flaws[0]!
  const at = instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'required' && params.requiredProperties?.[0]) {
    const field = [at, params.requiredProperties[0]].filter(Boolean).join('.')
    return problem('missing_field', { field, detail: `${field} is required` })
  }
  if (keyword === 'additionalProperties' && params.additionalProperties?.[0]) {
    const field = [at, params.additionalProperties[0]].filter(Boolean).join('.')
    return problem('invalid_field', { field, detail: `${field} is not a member that this endpoint takes` })
  }
  if (!at && (typeof value !== 'object' || value === null || Array.isArray(value)))
    return problem('invalid_json', { detail: 'The body must be a JSON object' })
  const wanted = keyword === 'pattern' ? schemaAt(schema, schemaPath)?.description : undefined
  // null and '' may be allowed values, but the message does not offer them.
  const choices = params.allowedValues?.filter((choice) => choice !== null && choice !== '')
  const allowed = keyword === 'enum' && choices ? `must be one of ${choices.join(', ')}` : worded(message)
  return problem('invalid_field', {
    field: at,
    detail: `${at || 'The body'} ${wanted ? `must be ${wanted}` : allowed}`,
  })
}

const comparisons: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
}

/** The schema library's sentence, in words. */
const worded = (message: string): string => message.replace(/(?<=^must be )[<>]=?(?= )/, (sign) => comparisons[sign]!)

function schemaAt(schema: TSchema, path: string): Schema | undefined {
  let found: unknown = schema
  for (const part of path.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[part]
  return found as Schema | undefined
}
