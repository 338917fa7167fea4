/**
 * Returns why a name below `*.host` is refused, or null. Agents choose these names, and a DNS query can carry data;
 * this limits the amount, since data cannot be told from names.
 */
export type CheckName = (caller: number | null, name: string, domain: string) => string | null

/** Most characters in front of the domain. */
const longest = 100
const newPerMinute = 30
const remembered = 200

export function createWildcardNames(now: () => number): CheckName {
  const callers = new Map<number | null, { known: Set<string>; tokens: number; at: number }>()
  return (caller, name, domain) => {
    if (name.length - domain.length > longest)
      return `${name} has more than ${longest} characters in front of ${domain}`
    const at = now()
    const own = callers.get(caller) ?? { known: new Set<string>(), tokens: newPerMinute, at }
    callers.set(caller, own)
    if (own.known.has(name)) return null
    own.tokens = Math.min(newPerMinute, own.tokens + ((at - own.at) / 60_000) * newPerMinute)
    own.at = at
    if (own.tokens < 1)
      return `this agent asked for more than ${newPerMinute} new names below wildcards within a minute`
    own.tokens--
    own.known.add(name)
    if (own.known.size > remembered) own.known.delete(own.known.values().next().value!)
    return null
  }
}
