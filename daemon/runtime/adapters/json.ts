/** Readers for JSON whose members cannot be trusted to have their types: a wrong one reads as absent. */

export type Json = Record<string, unknown>

export const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

export function string(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Deeper than any client nests, and far from where walking a value by recursion runs out of stack. */
const deepest = 500

/** Null when the text is no JSON object, or one that is nested too deep to be walked. */
export function parseObject(text: string): Json | null {
  if (!(text.startsWith('{') || text.trimStart().startsWith('{')) || isTooDeep(text)) return null
  try {
    return object(JSON.parse(text))
  } catch {
    return null
  }
}

/** Quick: whether a character stands in a text more often than that. */
function isFrequent(text: string, char: string, limit: number): boolean {
  let at = -1
  for (let count = 0; count <= limit; count++) {
    at = text.indexOf(char, at + 1)
    if (at < 0) return false
  }
  return true
}

function isTooDeep(text: string): boolean {
  if (text.length <= deepest) return false
  // One of the two opens at least half of the levels.
  if (!isFrequent(text, '{', deepest / 2 - 1) && !isFrequent(text, '[', deepest / 2 - 1)) return false
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x22) quoted = !quoted
    else if (quoted && char === 0x5c) at++
    else if (quoted) continue
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > deepest) return true
    } else if (char === 0x5d || char === 0x7d) depth--
  }
  return false
}
