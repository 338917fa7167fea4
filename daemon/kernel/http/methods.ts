import { type Endpoint, urlOf } from '#contract/define'
import { type Problem, problem } from '../problem.ts'

export interface Methods {
  /** The refusal for a path that has only other methods; null when no endpoint has the path. */
  refuse(path: string): Problem | null
  /**
   * A check for paths that the router matched to `matched`: `/things/count` never means a thing called "count", even
   * for a method that only `/things/:id` has. Null when `matched` hides no literal path.
   */
  shadowOf(method: string, matched: string): ((path: string) => Problem | null) | null
}

type Known = Map<string, { parts: string[]; methods: Set<string> }>

/** Knows the methods of each path. docs/rules/http.md, "Headers and bodies". */
export function createMethods(endpoints: Iterable<Endpoint>): Methods {
  const known: Known = new Map()
  for (const endpoint of endpoints) {
    const url = urlOf(endpoint)
    const at = known.get(url) ?? { parts: url.split('/'), methods: new Set() }
    at.methods.add(endpoint.method)
    if (endpoint.method === 'GET' && endpoint.kind !== 'stream') at.methods.add('HEAD')
    known.set(url, at)
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
    shadowOf(method, matched) {
      const own = matched.split('/')
      const rivals = [...known.values()]
        .filter(({ parts, methods }) => !methods.has(method) && precedes(parts, own))
        .map(({ parts }) => parts)
      if (!rivals.length) return null
      return (path) => {
        const parts = path.split('/')
        const meant = rivals.find((rival) => fits(rival, parts))
        return meant ? refuse(meant.join('/')) : null
      }
    },
  }
}

const isParameter = (part: string) => part.startsWith(':')

const fits = (pattern: string[], parts: string[]) =>
  pattern.length === parts.length &&
  pattern.every((part, index) => (isParameter(part) ? parts[index] !== '' : part === decoded(parts[index]!)))

/** True when a path can match both and the router prefers `one`, which is literal where they first differ. */
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
