import type { Passed } from '../../providers/vendor.ts'

/**
 * A request target as the vendor gets it: written anew from a table's entry and the parameters that the entry lists.
 */
export type Target = { path: string } | { refused: 'odd' | 'path' | 'method' }

/** Every part begins with a letter or a digit, so none is `.`, `..` or empty, and nothing in it needs to be escaped. */
const plain = /^(?:\/[A-Za-z0-9][\w.~:@-]*)+$/

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace('{model}', '[A-Za-z0-9][\\w.-]{0,127}')}$`)
const patterns = new Map<string, RegExp>()

function matches({ path }: Passed, asked: string): boolean {
  const pattern = patterns.get(path) ?? patternOf(path)
  patterns.set(path, pattern)
  return pattern.test(asked)
}

/** Reads a method and a target in origin form against the calls that are passed on. */
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

/** What is passed on, for people. */
export const listOf = (passed: readonly Passed[]): string =>
  passed.map(({ method, path }) => `${method} ${path}`).join(', ')
