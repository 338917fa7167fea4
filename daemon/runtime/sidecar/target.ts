import type { Passed } from '../../providers/vendor.ts'

/** A request target for the vendor, rebuilt from an entry of the table of calls and the parameters that it lists. */
export type Target = { path: string } | { refused: 'odd' | 'path' | 'method' }

/** Each segment begins with a letter or digit, so none is `.`, `..` or empty, and nothing needs escaping. */
const plain = /^(?:\/[A-Za-z0-9][\w.~:@-]*)+$/

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace('{model}', '[A-Za-z0-9][\\w.-]{0,127}')}$`)
const patterns = new Map<string, RegExp>()

function matches({ path }: Passed, asked: string): boolean {
  const pattern = patterns.get(path) ?? patternOf(path)
  patterns.set(path, pattern)
  return pattern.test(asked)
}

/** Matches a method and a target in origin form against the calls that are forwarded. */
export function readTarget(method: string, target: string, passed: readonly Passed[]): Target {
  const [, raw = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(target)!
  const path = decoded(raw)
  if (path === null || !plain.test(path)) return { refused: 'odd' }
  const known = passed.filter((it) => matches(it, path))
  const call = known.find((it) => it.method === method)
  if (!call) return { refused: known.length ? 'method' : 'path' }
  const given = new URLSearchParams(query)
  const kept = new URLSearchParams()
  for (const name of call.parameters) if (given.has(name)) kept.set(name, given.get(name)!)
  return { path: `${path}?${kept}`.replace(/\?$/, '') }
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

/** The calls that are forwarded, as text. */
export const listOf = (passed: readonly Passed[]): string =>
  passed.map(({ method, path }) => `${method} ${path}`).join(', ')
