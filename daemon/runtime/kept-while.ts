/** Texts for which something is kept at a time. */
const usualMost = 5000

/**
 * Makes something of a list of texts for each owner, and makes it anew once the list is another one. What was asked for
 * longest ago is forgotten, so that what is kept was made of at most so many texts, or of one list.
 */
export function keptWhile<T>(
  make: (of: readonly string[]) => T,
  most = usualMost,
): (owner: string, of: readonly string[]) => T {
  const kept = new Map<string, { of: readonly string[]; made: T }>()
  let texts = 0
  const forget = (owner: string) => {
    texts -= kept.get(owner)?.of.length ?? 0
    kept.delete(owner)
  }
  return (owner, of) => {
    const known = kept.get(owner)
    const current = known && isSame(known.of, of) ? known : { of, made: make(of) }
    forget(owner)
    kept.set(owner, current)
    texts += current.of.length
    for (const oldest of kept.keys()) {
      if (texts <= most || kept.size === 1) break
      forget(oldest)
    }
    return current.made
  }
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at])
