import type { LearnedRule } from '#contract/consolidate'
import { isVisible } from '#kernel/http/fields'
import { ruleBlock } from './texts.ts'

const mostRules = 20
/** Bytes of all rules of a proposal: half of what the file of a day may hold. */
const mostBytes = 15_000
const patternLength = 300
const actionLength = 600
const mostEvidence = 20
const leastEvidence = 2

/** The list in an answer, whatever stands around it; empty when there is none. */
export function listIn(answer: string): unknown[] {
  const to = answer.lastIndexOf(']')
  // Prose before the list may have brackets of its own: then it begins with the first that holds an object.
  for (const from of [answer.indexOf('['), answer.search(/\[\s*\{/)]) {
    if (from < 0 || to < from) continue
    try {
      const found: unknown = JSON.parse(answer.slice(from, to + 1))
      if (Array.isArray(found)) return found
    } catch {}
  }
  return []
}

/** By what two patterns are the same. */
export const folded = (pattern: string): string => pattern.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

interface Filter {
  /** Ids that the summarizer was given. */
  ids: ReadonlySet<string>
  /** Patterns that are known, folded. */
  known: ReadonlySet<string>
  /** Whether a text may not be remembered. */
  refused(text: string): boolean
}

/** Rules that may be proposed, of whatever the summarizer answered. */
export function usable(found: readonly unknown[], { ids, known, refused }: Filter): LearnedRule[] {
  const seen = new Set(known)
  const rules: LearnedRule[] = []
  let bytes = 0
  for (const it of found) {
    const rule = ruleOf(it, ids)
    if (!rule || seen.has(folded(rule.pattern))) continue
    const block = ruleBlock(rule)
    if (refused(block) || bytes + Buffer.byteLength(block) + 2 > mostBytes) continue
    seen.add(folded(rule.pattern))
    bytes += Buffer.byteLength(block) + 2
    rules.push(rule)
    if (rules.length === mostRules) break
  }
  return rules
}

function ruleOf(it: unknown, ids: ReadonlySet<string>): LearnedRule | null {
  if (typeof it !== 'object' || it === null) return null
  const { pattern, action, evidence, confidence } = it as Record<string, unknown>
  const [when, then] = [sentence(pattern, patternLength), sentence(action, actionLength)]
  if (!when || !then || !Array.isArray(evidence)) return null
  const cited = [...new Set(evidence.map((id) => (typeof id === 'string' ? id.trim().replace(/^\[|\]$/g, '') : '')))]
  const known = cited.filter((id) => ids.has(id)).slice(0, mostEvidence)
  if (known.length < leastEvidence) return null
  return { pattern: when, action: then, evidence: known, confidence: clamped(confidence) }
}

/** A text on one line; null where it is none or too long. */
function sentence(text: unknown, most: number): string | null {
  if (typeof text !== 'string' || text.length > 10 * most) return null
  const line = Buffer.from(text).toString().replace(/\s+/g, ' ').trim()
  return isVisible(line) && [...line].length <= most ? line : null
}

const clamped = (value: unknown): number => {
  const number = typeof value === 'number' ? value : Number.NaN
  return Number.isFinite(number) ? Math.min(1, Math.max(0, number)) : 0
}
