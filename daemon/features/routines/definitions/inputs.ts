import type { RoutineDefinition } from '#contract/routine-definition'
import type { Flaw } from './rules.ts'

/** What is wrong with the inputs that a definition names. */
export function inputFlaws({ inputs = [] }: RoutineDefinition): Flaw[] {
  const names = inputs.map(({ name }) => name)
  return inputs.flatMap(({ name, type, default: value, min, max }, index) => {
    const at = `inputs[${index}]`
    if (names.indexOf(name) !== index)
      return [{ path: `${at}.name`, message: `"${name}" is the name of another input` }]
    if (value !== undefined && value !== null && typeOf(value) !== type)
      return [{ path: `${at}.default`, message: `must be of type ${type}` }]
    if (min !== undefined && max !== undefined && min > max) return [{ path: `${at}.min`, message: 'is above max' }]
    return []
  })
}

export const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value

/** The inputs of a run, with what is left out filled in; or what is wrong with them. */
export function inputsOf(
  { inputs = [] }: RoutineDefinition,
  given: Readonly<Record<string, unknown>>,
): { inputs: Record<string, unknown> } | { field: string; detail: string } {
  const values: Record<string, unknown> = { ...given }
  for (const { name, type, required, default: fallback, min, max } of inputs) {
    const value = values[name] ?? fallback
    const field = `inputs.${name}`
    if (value === undefined || value === null) {
      if (required) return { field, detail: `The input "${name}" is required` }
      continue
    }
    if (typeOf(value) !== type) return { field, detail: `The input "${name}" must be of type ${type}` }
    const size =
      typeof value === 'number' ? value : typeof value === 'string' || Array.isArray(value) ? value.length : null
    if (size !== null && min !== undefined && size < min)
      return { field, detail: `The input "${name}" must be at least ${min}` }
    if (size !== null && max !== undefined && size > max)
      return { field, detail: `The input "${name}" must be at most ${max}` }
    values[name] = value
  }
  return { inputs: values }
}
