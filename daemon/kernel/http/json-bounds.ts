/** Most levels of nesting: recursive code must not run out of stack. */
const deepest = 32
/** Most members and items in total. */
const most = 2000
const longestName = 200

export type Members = Record<string, unknown>

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object, none of anything else. */
export const membersOf = (value: unknown): Members => (isObject(value) ? value : {})

/** What exceeds the bounds in JSON from an agent, or null. Sidecars contain this file, so it imports nothing. */
export function outOfBounds(value: unknown): string | null {
  let level = [value]
  let count = 0
  for (let depth = 0; level.length; depth++) {
    if (depth > deepest) return `it is nested more than ${deepest} deep`
    const next: unknown[] = []
    for (const one of level) {
      // JSON.parse reads 1e999 as Infinity, which JSON.stringify cannot write.
      if (typeof one === 'number' && !Number.isFinite(one)) return 'a number in it is too large'
      if (typeof one !== 'object' || one === null) continue
      const names = Array.isArray(one) ? [] : Object.keys(one)
      const flaw = badName(names)
      if (flaw) return flaw
      const members = Object.values(one)
      count += members.length
      if (count > most) return `it has more than ${most} members`
      for (const member of members) next.push(member)
    }
    level = next
  }
  return null
}

function badName(names: string[]): string | null {
  if (names.includes('__proto__')) return 'a member of it is named __proto__'
  return names.some((name) => name.length > longestName) ? `a name in it has more than ${longestName} characters` : null
}
