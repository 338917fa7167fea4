import { InputError } from '../input.ts'

/** The members of a command's JSON, from the contract: of the whole, and of each row where it is a list. */
export interface Members {
  of: readonly string[]
  rows?: readonly string[]
}

/** Refuses members that the result does not have. `a.*` stands for anything within `a`. */
export function requireMembers(fields: readonly string[], known: readonly string[]): void {
  const unknown = fields.filter((field) => !isKnown(field, known))
  if (!unknown.length) return
  const top = [...new Set(known.map((name) => name.split('.')[0]!))].sort()
  const what = `There is no member ${unknown.map((name) => `"${name}"`).join(', ')}`
  throw new InputError(top.length ? `${what}; choose from ${top.join(', ')}.` : `${what}: the result has no members.`)
}

function isKnown(field: string, known: readonly string[]): boolean {
  if (known.includes(field) || known.includes('*')) return true
  const parts = field.split('.')
  return parts.some((_, at) => known.includes(`${parts.slice(0, at).join('.')}.*`))
}

/** The members that these rows have. */
export function membersOf(rows: readonly unknown[]): string[] {
  const names = rows.flatMap((row) =>
    isObject(row)
      ? Object.entries(row).flatMap(([name, value]) => (isObject(value) ? [name, `${name}.*`] : [name]))
      : [],
  )
  return [...new Set(names)]
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
