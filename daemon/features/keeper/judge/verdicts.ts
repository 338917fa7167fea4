/** What a judge decides of credentials. */
export const decisions = ['ALLOW', 'DENY', 'ESCALATE'] as const
export type Decision = (typeof decisions)[number] | 'WARN'

export interface Verdict {
  decision: Decision
  reason: string
  /** 1 to 10. */
  risk: number
}

/** Characters of a reason that are kept. */
const reasonLength = 500

/**
 * The verdict in what a judge said, also where it fenced it; null when there is none. What is no decision is a DENY,
 * and a risk out of bounds the nearest one within.
 */
export function verdictIn(text: string, choices: readonly Decision[] = decisions): Verdict | null {
  const found = objectIn(text)
  if (!found || typeof found['decision'] !== 'string') return null
  const decision = choices.find((it) => it === found['decision']) ?? 'DENY'
  const risk = Number(found['risk'])
  return {
    decision,
    reason: typeof found['reason'] === 'string' ? clean(found['reason']) : '',
    risk: Number.isFinite(risk) ? Math.min(10, Math.max(1, Math.round(risk))) : 10,
  }
}

/** One line without control characters: people read it, and so do terminals. */
const clean = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, reasonLength)

function objectIn(text: string): Record<string, unknown> | null {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text
  try {
    const value = JSON.parse(fenced) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
