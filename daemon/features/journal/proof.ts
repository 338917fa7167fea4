import type { Fault, Gap, Proof, Verdict } from '#contract/journal'
import type { Sealed } from '#kernel/journal/sealer'

/** A known point of a workspace's journal, from a seal or an anchor: number of entries and hash of the newest. */
export interface Known {
  entries: number
  hash: string
  at: string
}

/** What to verify, and against what. */
export interface Question {
  ws: number
  workspace: string
  /** Newest seq to verify, and the daemon's count of entries up to it. */
  head: number
  entries: number
  /** Null without seals. */
  sealed: Sealed | null
  anchor: Known | null
}

export interface Place {
  seq: number
  id: string
  entry_hash: Buffer
}

/** The known points that a walk has passed. */
export interface PointsState {
  entries: number
  sealed: Verdict['sealed']
}

/** The known points that a walk must pass. */
export function createPoints(
  { entries, sealed, anchor }: Question,
  from: PointsState = { entries: 0, sealed: null },
  /** Entries that an earlier part of the walk has passed. */
  walked = 0,
) {
  const seals = (sealed?.points ?? []).map((point) => ({ ...point, how: 'sealed' }))
  const known = [...seals, ...(anchor ? [{ ...anchor, how: 'anchored' }] : [])]
    .filter((it) => it.entries > 0)
    .sort((a, b) => a.entries - b.entries)
  const passed = { next: known.findIndex((it) => it.entries > walked), ...from }
  if (passed.next < 0) passed.next = known.length

  return {
    /** The newest seal that the walk passed. */
    get sealed() {
      return passed.sealed
    },
    state: (): PointsState => ({ entries: passed.entries, sealed: passed.sealed }),
    /** Compares the entry number `count` with the known points. */
    pass(count: number, { seq, id, entry_hash }: Place): Fault | null {
      for (let point = known[passed.next]; point && point.entries <= count; point = known[++passed.next]) {
        if (point.hash !== entry_hash.toString('hex')) {
          const range = `entries ${passed.entries + 1} to ${point.entries}`
          const reason = `${range} are not those that were ${point.how} on ${point.at}`
          return { kind: 'forged', seq, id, reason }
        }
        passed.entries = count
        if (point.how === 'sealed') passed.sealed = { entries: count, seq, at: point.at }
      }
      return null
    },
    /** The fault if the journal should continue after its last entry, number `count`. */
    missing(count: number, last: Place | null): Fault | null {
      const place = { kind: 'truncated' as const, seq: last?.seq ?? null, id: last?.id ?? null }
      const newest = known.at(-1)
      if (newest && newest.entries > count)
        return {
          ...place,
          reason: `it ends after ${count} entries; ${newest.entries} were ${newest.how} on ${newest.at}`,
        }
      return count < entries
        ? { ...place, reason: `it ends after ${count} entries; the daemon counts ${entries}` }
        : null
    },
  }
}

interface Walked {
  entries: number
  erased: number
  erasedSummaries: number
  compacted: number
  last: Place | null
}

/** States what a walk has proven, and what it cannot prove. */
export function conclude(
  { sealed: seals, anchor }: Question,
  { entries, erased, erasedSummaries, compacted, last }: Walked,
  sealed: Verdict['sealed'],
  broken: Fault | null,
): Verdict {
  const unsealed = entries - (sealed?.entries ?? 0)
  const proven: Proof[] = [
    'chain',
    'columns',
    'order',
    'priorities',
    'roll_ups',
    ...(sealed ? ['seal' as const] : []),
    ...(anchor ? ['anchor' as const] : []),
  ]
  const gaps: [Gap, boolean][] = [
    ['unsealed', unsealed > 0],
    ['erased', erased + erasedSummaries + compacted > 0],
    ['key_holder', seals !== null],
    ['rollback', anchor?.entries !== entries],
  ]
  return {
    valid: broken === null,
    entries,
    erased,
    erased_summaries: erasedSummaries,
    compacted,
    head: last && { id: last.id, hash: last.entry_hash.toString('hex') },
    sealed,
    resumed: null,
    unsealed,
    proven: broken ? [] : proven,
    not_proven: gaps.flatMap(([gap, there]) => (there ? [gap] : [])),
    broken,
  }
}
