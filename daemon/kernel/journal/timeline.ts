import { type Db, withinChange } from '../store/db.ts'
import type { UndoLog } from './undo.ts'

/** Entries with `after < seq <= upTo`. */
export interface Range {
  after: number
  upTo: number
}

/** Converts times to positions in the journal. */
export interface Timeline {
  /** The time to store for the next entry, made at `now`. */
  stamp(now: number, seq: number): number
  /** The time of the newest entry, and back to it. */
  readonly newest: number
  goBackTo(ts: number): void
  /** The ranges of all entries up to `head` with since <= ts <= until, newest first. */
  ranges(since: number | undefined, until: number | undefined, head: number): Range[]
}

/** A clock that goes back by less than this many milliseconds is held instead. */
const jitter = 5_000

interface Epoch {
  seq: number
  ts: number
}

/**
 * Within an epoch, times never decrease, so a bound is found by bisection, without an index. Setting the clock back
 * starts a new epoch.
 */
export function createTimeline(db: Db, undo: UndoLog): Timeline {
  const at = db.prepare<[number], Epoch>('SELECT seq, ts FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1')
  const newestTs = db.prepare<[], number>('SELECT ts FROM journal ORDER BY seq DESC LIMIT 1').pluck()
  const insert = withinChange(db, db.prepare<[number, number]>('INSERT INTO journal_epochs (seq, ts) VALUES (?, ?)'))
  const epochs = db.prepare<[], Epoch>('SELECT seq, ts FROM journal_epochs ORDER BY seq').all()
  let last = newestTs.get() ?? Number.NEGATIVE_INFINITY

  /** The first seq in [low, high] whose time is `ts` or later; high + 1 when there is none. */
  function firstFrom(ts: number, low: number, high: number): number {
    let [from, to] = [low, high + 1]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const entry = at.get(middle)
      if (entry && entry.seq <= high && entry.ts < ts) from = entry.seq + 1
      else to = middle
    }
    return from
  }

  return {
    get newest() {
      return last
    },
    goBackTo: (ts) => {
      last = ts
    },
    stamp(now, seq) {
      if (last - now <= jitter) last = Math.max(now, last)
      else {
        insert.run(seq, now)
        epochs.push({ seq, ts: now })
        undo.push(() => void epochs.pop())
        last = now
      }
      return last
    },
    ranges(since, until, head) {
      if (since === undefined && until === undefined) return [{ after: 0, upTo: head }]
      const starts = [1, ...epochs.map(({ seq }) => seq)]
      const found = starts.map((low, index) => {
        const high = (starts[index + 1] ?? head + 1) - 1
        return {
          after: (since === undefined ? low : firstFrom(since, low, high)) - 1,
          upTo: until === undefined ? high : firstFrom(until + 1, low, high) - 1,
        }
      })
      return found.filter(({ after, upTo }) => upTo > after).reverse()
    },
  }
}
