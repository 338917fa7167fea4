import { performance } from 'node:perf_hooks'
import { diffArrays } from 'diff'

/** Most changed lines of two versions that are looked for; beyond, all lines count as new. */
const mostEdits = 20_000
/** Milliseconds for all versions of a file, in which the daemon does nothing else. */
const patienceMs = 200

/** The lines of a text, without what ends them. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

export interface Traced {
  lines: string[]
  /** Of each line: the number of the version that brought it, or null where none did that is on record. */
  from: (number | null)[]
  /** Of each line: whether a version that is not known may have brought it. */
  unsure: boolean[]
}

/**
 * Traces the lines of the newest text back through the versions before it, the oldest first. A version without a text
 * is one of which nobody knows what it was. `now` is what is there, which may be on record by none.
 */
export function trace(versions: readonly (string | null)[], now: string | null): Traced {
  const until = performance.now() + patienceMs
  let traced: Traced = { lines: [], from: [], unsure: [] }
  let gap = false
  for (const [number, text] of versions.entries()) {
    if (text === null) {
      gap = true
      continue
    }
    traced = carry(traced, linesOf(text), number, gap, until)
    gap = false
  }
  return now === null ? traced : carry(traced, linesOf(now), null, false, until)
}

function carry(before: Traced, lines: string[], number: number | null, gap: boolean, until: number): Traced {
  const timeout = Math.max(1, until - performance.now())
  const changes = diffArrays(before.lines, lines, { timeout, maxEditLength: mostEdits })
  if (!changes) return { lines, from: lines.map(() => number), unsure: lines.map(() => true) }
  const [from, unsure]: [Traced['from'], boolean[]] = [[], []]
  let at = 0
  for (const { added, removed, count } of changes) {
    if (removed) at += count
    else
      for (let left = count; left > 0; left--) {
        from.push(added ? number : before.from[at]!)
        unsure.push(added ? gap : before.unsure[at]!)
        if (!added) at++
      }
  }
  return { lines, from, unsure }
}

export interface Hunk {
  from: number
  version: number | null
  certain: boolean
  lines: string[]
}

/** Neighbouring lines of one version together, those from line `first` to line `last`. */
export function hunksOf({ lines, from, unsure }: Traced, first: number, last: number): Hunk[] {
  const hunks: Hunk[] = []
  for (let at = Math.max(first, 1) - 1; at < Math.min(last, lines.length); at++) {
    const [version, certain] = [from[at]!, !unsure[at]]
    const open = hunks.at(-1)
    if (open && open.version === version && open.certain === certain) open.lines.push(lines[at]!)
    else hunks.push({ from: at + 1, version, certain, lines: [lines[at]!] })
  }
  return hunks
}
