import { namesOf, valueAt } from '#kernel/templates'

type Filter = (value: unknown) => unknown

const sized = (value: unknown): unknown =>
  typeof value === 'string'
    ? [...value].length
    : Array.isArray(value)
      ? value.length
      : Object.keys(Object(value)).length

const filters: Readonly<Record<string, Filter>> = {
  length: (value) =>
    value === null || value === undefined ? 0 : typeof value === 'number' ? Math.abs(value) : sized(value),
  keys: (value) => (Array.isArray(value) ? [...value.keys()] : Object.keys(Object(value)).sort()),
  tostring: (value) => (typeof value === 'string' ? value : JSON.stringify(value ?? null)),
  '@json': (value) => JSON.stringify(value ?? null),
}

const path = /^\.(?:[a-zA-Z_][\w-]*|\[\d{1,6}\])?(?:\.[a-zA-Z_][\w-]*|\[\d{1,6}\])*$/

/** Reads the expression of a transform: paths and filters, joined by `|`. Throws what it does not know. */
export function transform(text: string): Filter {
  const parts = text.split('|').map((part) => part.trim())
  const steps = parts.map((part): Filter => {
    if (path.test(part)) {
      const names = namesOf(part)
      return (value) => valueAt(value, names) ?? null
    }
    const known = Object.hasOwn(filters, part) ? filters[part] : undefined
    if (known) return known
    throw new Error(`"${part}" is no path such as .items[0].name, and none of ${Object.keys(filters).join(', ')}`)
  })
  return (value) => steps.reduce((found, step) => step(found), value)
}
