import type { LearnedRule } from '#contract/consolidate'
import { unifiedDiff } from '#kernel/unified-diff'
import { ruleHead } from '../memory/rules/service.ts'

/** A rule as it stands in a memory file. */
export const ruleBlock = (rule: LearnedRule): string =>
  [
    ruleHead(rule),
    `  **Confidence:** ${rule.confidence.toFixed(2)}  `,
    `  **Evidence:** ${rule.evidence.join(', ')}`,
  ].join('\n')

/** The text that waits for a decision: a head for people, and below the line what approving appends. */
export const stagingText = (
  id: string,
  now: string,
  rules: readonly LearnedRule[],
  title = '# Proposed for the memory of the crew',
): string =>
  [
    title,
    '',
    `- Proposal: ${id}`,
    `- Proposed at: ${now}`,
    '- Status: pending',
    '',
    '---',
    '',
    rules.map(ruleBlock).join('\n\n'),
    '',
  ].join('\n')

/** What approving appends: what follows the first line of the staged text that rules it off. */
export function mergeBody(staged: string): string {
  const at = staged.indexOf('\n---\n')
  return at < 0 ? '' : staged.slice(at + 5).trim()
}

/** Where rules that are approved at that time are appended. */
export const canonicalName = (now: string): string => `topics/learned-${now.slice(0, 10)}.md`

/** What is added to the end of the file when rules are approved. */
export function addition(before: string, body: string, now: string): string {
  if (!body) return ''
  const approved = `## Approved at ${now.slice(11, 19)} UTC\n\n${body}\n`
  if (before !== '') return `${before.endsWith('\n') ? '' : '\n'}\n---\n\n${approved}`
  const title = `# Learned on ${now.slice(0, 10)}\n\nRules from the journal that people have approved.\n\n`
  return `${title}${approved}`
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** A unified diff of a text and the same text with more at its end: nothing has to be searched for. */
export function appendDiff(before: string, added: string): { diff: string; additions: number } {
  if (!added) return { diff: '', additions: 0 }
  const old = linesOf(before)
  // A last line without an end gets one, which changes no line.
  const more = linesOf(before === '' || before.endsWith('\n') ? added : added.slice(1))
  const context = old.slice(-3)
  const from = old.length - context.length + (old.length ? 1 : 0)
  const size = context.length + more.length
  const lines = [
    '--- canonical (current)',
    '+++ canonical (post-merge)',
    `@@ -${from},${context.length} +${old.length ? from : 1},${size} @@`,
    ...context.map((line) => ` ${line}`),
    ...more.map((line) => `+${line}`),
  ]
  return { diff: `${lines.join('\n')}\n`, additions: more.length }
}

/** A text without these rules: each of them by its pattern and action, with what belongs to it. */
export function without(text: string, rules: readonly LearnedRule[]): string {
  const lines = text.split('\n')
  for (const { pattern, action } of rules) {
    const at = lines.findIndex(
      (line, n) =>
        line.trimEnd() === `- **Pattern:** ${pattern}` && lines[n + 1]?.trimEnd() === `  **Action:** ${action}`,
    )
    if (at < 0) continue
    let end = at + 2
    while (/^ {2}\*\*/.test(lines[end] ?? '')) end++
    if (lines[end]?.trim() === '') end++
    lines.splice(at, end - at)
  }
  return lines.join('\n')
}

/** A unified diff of a file of memory. */
export function fileDiff(before: string, after: string): { diff: string; additions: number; deletions: number } {
  if (before === after) return { diff: '', additions: 0, deletions: 0 }
  const names = ['canonical (current)', 'canonical (post-merge)'] as const
  const { text, additions, deletions } = unifiedDiff(names, before, after, { context: 3 })
  return { diff: text.replace(/^=+\n/, ''), additions, deletions }
}
