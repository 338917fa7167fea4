import { blockSize } from '#kernel/journal/combos'
import type { Range } from '#kernel/journal/timeline'
import type { Db } from '#kernel/store/db'

/** Counts the entries of combinations, or of a workspace, from stored totals: exact, without reading most entries. */
export interface Totals {
  /** `combos` is null for all entries of the workspace. */
  within(ws: number, combos: { combo: number }[] | null, all: number, range: Range, head: number): number
  /** Cost of `within`, in rows. */
  effort(combos: { combo: number }[] | null, range: Range, head: number): number
}

interface Blocks {
  first: number
  last: number
}

/** The full blocks within a range. Block n holds the seqs from (n - 1) * size + 1 to n * size. */
const blocksIn = ({ after, upTo }: Range): Blocks => ({
  first: Math.ceil(after / blockSize) + 1,
  last: Math.floor(upTo / blockSize),
})

const countBlocks = ({ first, last }: Blocks) => Math.max(0, last - first + 1)

export function createTotals(db: Db): Totals {
  const blocks = db
    .prepare<[string, number, number], number>(
      `SELECT coalesce(sum(b.n), 0) FROM json_each(?) e CROSS JOIN journal_blocks b ON b.combo = e.value
       AND b.block BETWEEN ? AND ?`,
    )
    .pluck()
  const entries = db
    .prepare<[string, number, number], number>(
      `SELECT count(*) FROM json_each(?) e CROSS JOIN journal j INDEXED BY journal_combo ON j.combo = e.value
       AND j.seq > ? AND j.seq <= ?`,
    )
    .pluck()
  const whole = db
    .prepare<[number, number, number], number>(
      'SELECT count(*) FROM journal INDEXED BY journal_ws WHERE ws = ? AND seq > ? AND seq <= ?',
    )
    .pluck()

  function inside(ws: number, keys: string | null, range: Range): number {
    const few = (part: Range) =>
      keys === null ? whole.get(ws, part.after, part.upTo)! : entries.get(keys, part.after, part.upTo)!
    const full = blocksIn(range)
    if (countBlocks(full) === 0) return few(range)
    return (
      few({ after: range.after, upTo: (full.first - 1) * blockSize }) +
      blocks.get(keys ?? `[${-ws}]`, full.first, full.last)! +
      few({ after: full.last * blockSize, upTo: range.upTo })
    )
  }

  /** The rest of the journal before and after a range. */
  const outside = ({ after, upTo }: Range, head: number): Range[] => [
    { after: 0, upTo: after },
    { after: upTo, upTo: head },
  ]
  const size = (ranges: Range[]) => ranges.reduce((sum, range) => sum + countBlocks(blocksIn(range)), 0)

  return {
    within(ws, combos, all, range, head) {
      if (range.after === 0 && range.upTo >= head) return all
      const keys = combos && JSON.stringify(combos.map(({ combo }) => combo))
      const rest = outside(range, head)
      if (size([range]) <= size(rest)) return inside(ws, keys, range)
      return rest.reduce((left, part) => left - inside(ws, keys, part), all)
    },
    effort(combos, range, head) {
      if (range.after === 0 && range.upTo >= head) return 0
      const wide = Math.min(size([range]), size(outside(range, head)))
      return (wide + 2) * (combos?.length ?? 1) + 2 * blockSize
    },
  }
}
