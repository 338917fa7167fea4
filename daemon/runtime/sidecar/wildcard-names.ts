/**
 * Below `*.host` it is the agent who chooses what name servers are asked for, and a name can carry data. Returns why a
 * name is
 * refused, or null. Bounds how much goes out that way; it cannot tell data from names.
 */
export type CheckName = (caller: number | null, name: string, domain: string) => string | null

/** Of the part in front of the domain. */
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
