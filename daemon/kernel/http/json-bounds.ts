/** Objects and lists within each other: what walks them by recursion must not run out of stack. */
const deepest = 32
/** Members and items in all. */
const most = 2000
const longestName = 200

export type Members = Record<string, unknown>

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What is wrong with JSON that an agent sent, whatever it is to mean; null when nothing is. Imports nothing: sidecars
 * carry it.
 */
export function outOfBounds(value: unknown): string | null {
  let level = [value]
  let count = 0
  for (let depth = 0; level.length; depth++) {
    if (depth > deepest) return `it is nested more than ${deepest} deep`
    const next: unknown[] = []
    for (const one of level) {
      // JSON reads 1e999 as a number that it cannot write.
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
