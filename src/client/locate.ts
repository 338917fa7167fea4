import { type Operation, operations as table } from './operations.ts'

/** What a call is given: path parameters by name, `query` and `body`. */
export interface Given {
  readonly [parameter: string]: unknown
  readonly query?: object
  readonly body?: unknown
}

export const operations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = table

/** Method and full path of `feature.operation`, parameters and query filled in. Throws when a parameter is missing. */
export function locate(operation: string, given: Given = {}): { method: string; path: string; kind: Operation[2] } {
  const [feature = '', name = ''] = operation.split('.')
  const found = operations[feature]?.[name]
  if (!found) throw new TypeError(`There is no operation "${operation}"`)
  const [method, pattern, kind] = found
  return { method, path: pathOf(pattern, given) + queryOf(given.query), kind }
}

/** The path with its `:parameters` filled in. */
export const pathOf = (pattern: string, given: Given): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => fill(pattern, name, given[name]))

function fill(pattern: string, parameter: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  // A dot segment would be folded away by a proxy and name another resource.
  if (text === '' || text === '.' || text === '..') throw new TypeError(`${pattern} needs a ${parameter}`)
  return encodeURIComponent(text)
}

/** `?a=1&b=2` of the members that have a value; lists repeat their name. Empty when none has. */
export function queryOf(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null) search.append(name, String(item))
  }
  return search.size ? `?${search}` : ''
}
