import { formatPatch, structuredPatch } from 'diff'

export interface Unified {
  text: string
  additions: number
  deletions: number
}

/** The unified diff of two texts, under their names, and how many lines it adds and removes. */
export function unifiedDiff(
  [from, to]: readonly [from: string, to: string],
  before: string,
  after: string,
  options: { context?: number } = {},
): Unified {
  const patch = structuredPatch(from, to, before, after, undefined, undefined, options)
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  const of = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  return { text: formatPatch(patch), additions: of('+'), deletions: of('-') }
}
