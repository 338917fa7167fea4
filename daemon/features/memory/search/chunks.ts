import type { Priority } from '#contract/entries'

export interface Chunk {
  /** The line that it begins with, from 1. */
  line: number
  text: string
}

/** Characters of a part: a paragraph, a rule, some bullets. */
const fair = 600
const most = 2000

/** A text in parts that can be found each by itself: at blank lines and headings, long ones anywhere between lines. */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = []
  let part: string[] = []
  let from = 1
  let size = 0
  const close = (next: number) => {
    const whole = part.join('\n').trim()
    for (let at = 0; at < whole.length; at += most) chunks.push({ line: from, text: whole.slice(at, at + most) })
    part = []
    size = 0
    from = next
  }
  for (const [at, line] of text.split('\n').entries()) {
    const breaks = line.trim() === '' ? size >= fair / 4 : /^#{1,6} /.test(line) || size + line.length > fair
    if (breaks && part.length) close(at + 1)
    part.push(line)
    size += line.length + 1
  }
  close(0)
  return chunks
}

/** Words that a search may have at most. */
const mostWords = 16

/** The words of a query, each once, quoted for the index; empty when there is nothing to look for. */
export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const telling = words.filter((word) => word.length > 2)
  return [...new Set(telling.length ? telling : words)].slice(0, mostWords).map((word) => `"${word}"`)
}

const entryId = /\bj_[0-9a-f]{16}\b/g

/** How much more an entry counts that somebody gave a priority: about ten places. */
const lift = 1.2

/** Entries of the journal that a text names as its evidence. */
export const evidenceIn = (text: string): string[] => text.match(entryId) ?? []

/** Reciprocal rank fusion: how much a place in a list counts, from 0. */
export const fused = (rank: number): number => 1 / (60 + rank + 1)

/** How much an entry of the journal counts at its place. */
export const recalledAt = (rank: number, priority: Priority): number => fused(rank) * (priority === 'normal' ? 1 : lift)
