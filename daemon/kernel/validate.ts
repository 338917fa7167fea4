import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { type Problem, problem } from './problem.ts'

interface Flaw {
  keyword: string
  instancePath: string
  message: string
  params: { requiredProperties?: string[]; additionalProperties?: string[]; allowedValues?: unknown[] }
}

/** The value with defaults filled in, or what is wrong with it. `query` values are text and converted first. */
export type Validator = (value: unknown) => { value: unknown } | { problem: Problem }

/** Checks a body or query against its contract schema; names the first member at fault. */
export function validator(schema: TSchema, from: 'body' | 'query'): Validator {
  const compiled = Compile(schema)
  return (given) => {
    const base = given === undefined ? {} : given
    const converted = from === 'query' ? Value.Convert(schema, base) : base
    const value = Value.Default(schema, converted)
    if (compiled.Check(value)) return { value }
    const [flaw] = compiled.Errors(value) as unknown as Flaw[]
    return { problem: describe(flaw!, value) }
  }
}

function describe({ keyword, instancePath, message, params }: Flaw, value: unknown): Problem {
  const at = instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'required' && params.requiredProperties?.[0]) {
    const field = [at, params.requiredProperties[0]].filter(Boolean).join('.')
    return problem('missing_field', { field, detail: `${field} is required` })
  }
  if (keyword === 'additionalProperties' && params.additionalProperties?.[0]) {
    const field = [at, params.additionalProperties[0]].filter(Boolean).join('.')
    return problem('invalid_field', { field, detail: `${field} is not a member that this endpoint takes` })
  }
  if (keyword === 'enum' && params.allowedValues)
    return problem('invalid_field', { field: at, detail: `${at} must be one of ${params.allowedValues.join(', ')}` })
  if (!at && (typeof value !== 'object' || value === null)) return problem('invalid_json', { detail: 'The body must be a JSON object' })
  return problem('invalid_field', { field: at, detail: `${at || 'The body'} ${message}` })
}
