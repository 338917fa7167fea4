import type { Fault, Gap, Proof, Verdict } from '#contract/journal'
import type { Sealed } from '#kernel/journal/sealer'

/**
 * A place in a workspace's journal that is known from elsewhere: how many entries it had, and the hash of the newest.
 */
export interface Known {
  entries: number
  hash: string
  at: string
}

/** What is to be checked, and against what. */
export interface Question {
  ws: number
  workspace: string
  /** Newest seq to look at, and how many entries the daemon counts up to it. */
  head: number
  entries: number
  /** Null where nothing is sealed. */
  sealed: Sealed | null
  anchor: Known | null
}

interface Place {
  seq: number
  id: string
  entry_hash: Buffer
}

/** The known places that a walk must come by. */
export function createPoints({ entries, sealed, anchor }: Question) {
  const seals = (sealed?.points ?? []).map((point) => ({ ...point, how: 'sealed' }))
  const known = [...seals, ...(anchor ? [{ ...anchor, how: 'anchored' }] : [])]
    .filter((it) => it.entries > 0)
    .sort((a, b) => a.entries - b.entries)
  const passed = { next: 0, entries: 0, sealed: null as Verdict['sealed'] }

  return {
    /** The newest seal that the walk came by. */
    get sealed() {
      return passed.sealed
    },
    /** Compares the entry that is the `count`th with what is known of it. */
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
    /** What should have come after the last of `count` entries. */
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
  last: Place | null
}

/** Says what a walk has proven, and what it cannot prove. */
export function conclude(
  { sealed: seals, anchor }: Question,
  { entries, erased, erasedSummaries, last }: Walked,
  sealed: Verdict['sealed'],
  broken: Fault | null,
): Verdict {
  const unsealed = entries - (sealed?.entries ?? 0)
  const proven: Proof[] = [
    'chain',
    'columns',
    'order',
    'priorities',
    ...(sealed ? ['seal' as const] : []),
    ...(anchor ? ['anchor' as const] : []),
  ]
  const gaps: [Gap, boolean][] = [
    ['unsealed', unsealed > 0],
    ['erased', erased + erasedSummaries > 0],
    ['key_holder', seals !== null],
    ['rollback', anchor?.entries !== entries],
  ]
  return {
    valid: broken === null,
    entries,
    erased,
    erased_summaries: erasedSummaries,
    head: last && { id: last.id, hash: last.entry_hash.toString('hex') },
    sealed,
    unsealed,
    proven: broken ? [] : proven,
    not_proven: gaps.flatMap(([gap, there]) => (there ? [gap] : [])),
    broken,
  }
}
