import { type Endpoint, urlOf } from '#contract/define'
import { type Problem, problem } from './problem.ts'

export interface Methods {
  /** The refusal of a request for a path that has other methods only; null when no endpoint has the path. */
  refuse(path: string): Problem | null
  /** As `refuse`, when a more literal path than the one matched was meant: `/things/count` is never a thing called "count". */
  refuseShadowed(method: string, matched: string, path: string): Problem | null
}

type Known = Map<string, { parts: string[]; methods: Set<string> }>

/** Which methods each path has. Contract part 1, section 1.1. */
export function createMethods(endpoints: Iterable<Endpoint>): Methods {
  const known: Known = new Map()
  for (const endpoint of endpoints) {
    const url = urlOf(endpoint)
    const at = known.get(url) ?? { parts: url.split('/'), methods: new Set() }
    at.methods.add(endpoint.method)
    if (endpoint.method === 'GET' && endpoint.kind !== 'stream') at.methods.add('HEAD')
    known.set(url, at)
  }
  const rivals = new Map<string, string[][]>()

  /** Paths without this method that stand before `matched` for some addresses. */
  function rivalsOf(method: string, matched: string): string[][] {
    const key = `${method} ${matched}`
    const found =
      rivals.get(key) ??
      [...known.values()].filter(({ parts, methods }) => !methods.has(method) && precedes(parts, matched.split('/'))).map(({ parts }) => parts)
    rivals.set(key, found)
    return found
  }

  function refuse(path: string): Problem | null {
    const given = path.split('/')
    const fitting = [...known.values()].filter(({ parts }) => fits(parts, given))
    const meant = fitting.filter(({ parts }) => !fitting.some((other) => precedes(other.parts, parts)))
    const methods = new Set(meant.flatMap((it) => [...it.methods]))
    return methods.size ? problem('method_not_allowed', { headers: { allow: [...methods].sort().join(', ') } }) : null
  }

  return {
    refuse,
    refuseShadowed(method, matched, path) {
      const paths = rivalsOf(method, matched)
      if (!paths.length) return null
      const parts = path.split('/')
      const meant = paths.find((rival) => fits(rival, parts))
      return meant ? refuse(meant.join('/')) : null
    },
  }
}

const isParameter = (part: string) => part.startsWith(':')

const fits = (pattern: string[], parts: string[]) =>
  pattern.length === parts.length && pattern.every((part, index) => (isParameter(part) ? parts[index] !== '' : part === decoded(parts[index]!)))

/** True when some address fits both and the router would prefer `one`: it is literal where they first differ. */
function precedes(one: string[], other: string[]): boolean {
  if (one.length !== other.length) return false
  const overlap = one.every((part, index) => part === other[index] || isParameter(part) || isParameter(other[index]!))
  const differs = one.findIndex((part, index) => isParameter(part) !== isParameter(other[index]!))
  return overlap && differs >= 0 && !isParameter(one[differs]!)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
