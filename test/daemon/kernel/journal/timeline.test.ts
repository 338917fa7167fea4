import { describe, expect, it } from 'vitest'
import { createTimeline } from '#kernel/journal/timeline'
import { createUndoLog } from '#kernel/journal/undo'
import { storeRows } from '../../../support/journal-rows.ts'
import { openMigrated } from '../../../support/migrated.ts'

/** Entries of these times; an epoch begins wherever the time goes back. `null` is an entry that is gone. */
function timelineOf(times: (number | null)[]) {
  const db = openMigrated()
  const rows = times.flatMap((ts, at) => (ts === null ? [] : [{ seq: at + 1, ts }]))
  storeRows(db, rows)
  const epoch = db.prepare('INSERT INTO journal_epochs (seq, ts) VALUES (?, ?)')
  for (const [at, { seq, ts }] of rows.entries()) if (at && ts < rows[at - 1]!.ts) epoch.run(seq, ts)
  const undo = createUndoLog()
  const timeline = createTimeline(db, undo)
  const ranges = (since?: number, until?: number, head = times.length) =>
    timeline.ranges(since, until, head).map(({ after, upTo }) => [after, upTo])
  const stamps = (...pairs: [now: number, seq: number][]) =>
    db.transaction(() => pairs.map(([now, seq]) => timeline.stamp(now, seq)))()
  const epochs = () => db.prepare('SELECT seq, ts FROM journal_epochs').all()
  return { timeline, ranges, stamps, epochs, undo, db }
}

describe('the time of an entry', () => {
  it('is that of the clock, which may stand still', () => {
    const { stamps, timeline, epochs } = timelineOf([])
    expect(stamps([10, 1], [10, 2], [11, 3])).toEqual([10, 10, 11])
    expect(timeline.newest).toBe(11)
    expect(epochs()).toEqual([])
  })

  it('never decreases while the clock jitters by up to five seconds', () => {
    const { stamps, epochs } = timelineOf([])
    expect(stamps([10_000, 1], [9_000, 2], [5_000, 3], [10_001, 4])).toEqual([10_000, 10_000, 10_000, 10_001])
    expect(epochs()).toEqual([])
  })

  it('follows a clock that was set back further, in an epoch of its own', () => {
    const { stamps, timeline, epochs } = timelineOf([])
    expect(stamps([10_000, 1], [4_999, 2], [5_000, 3])).toEqual([10_000, 4_999, 5_000])
    expect(epochs()).toEqual([{ seq: 2, ts: 4_999 }])
    expect(timeline.newest).toBe(5_000)
  })

  it('goes on from the newest entry after a restart', () => {
    const { stamps, timeline } = timelineOf([10_000, 20_000])
    expect(timeline.newest).toBe(20_000)
    expect(stamps([19_000, 3])).toEqual([20_000])
  })

  it('is found in its epoch', () => {
    const { stamps, ranges, db } = timelineOf([10_000, 20_000])
    stamps([1_000, 3])
    storeRows(db, [{ seq: 3, ts: 1_000 }])
    expect(ranges(15_000, undefined, 3)).toEqual([[1, 2]])
    expect(ranges(undefined, 5_000, 3)).toEqual([[2, 3]])
  })

  it('forgets an epoch with the change that began it', () => {
    const { stamps, timeline, ranges, undo } = timelineOf([10_000, 20_000, 20_000])
    undo.mark()
    stamps([1_000, 3])
    undo.rewind()
    timeline.goBackTo(20_000)
    expect(timeline.newest).toBe(20_000)
    expect(ranges(20_000)).toEqual([[1, 3]])
  })
})

describe('the ranges of a time', () => {
  it('are everything without bounds', () => {
    const { ranges } = timelineOf([10, 20, 30, 5, 6])
    expect(ranges()).toEqual([[0, 5]])
    expect(ranges(undefined, undefined, 2)).toEqual([[0, 2]])
  })

  it('include both bounds', () => {
    const { ranges } = timelineOf([10, 20, 20, 30])
    expect(ranges(20)).toEqual([[1, 4]])
    expect(ranges(21)).toEqual([[3, 4]])
    expect(ranges(10)).toEqual([[0, 4]])
    expect(ranges(31)).toEqual([])
    expect(ranges(undefined, 20)).toEqual([[0, 3]])
    expect(ranges(undefined, 19)).toEqual([[0, 1]])
    expect(ranges(undefined, 9)).toEqual([])
    expect(ranges(undefined, 30)).toEqual([[0, 4]])
    expect(ranges(20, 20)).toEqual([[1, 3]])
    expect(ranges(11, 19)).toEqual([])
  })

  it('end at the head', () => {
    const { ranges } = timelineOf([10, 20, 20, 30])
    expect(ranges(20, undefined, 2)).toEqual([[1, 2]])
    expect(ranges(undefined, 30, 2)).toEqual([[0, 2]])
    expect(ranges(30, undefined, 3)).toEqual([])
  })

  it('are one for each epoch, the newest first', () => {
    const { ranges } = timelineOf([10, 20, 30, 15, 25, 5, 20])
    expect(ranges(20)).toEqual([
      [6, 7],
      [4, 5],
      [1, 3],
    ])
    expect(ranges(undefined, 15)).toEqual([
      [5, 6],
      [3, 4],
      [0, 1],
    ])
    expect(ranges(10, 15)).toEqual([
      [3, 4],
      [0, 1],
    ])
  })

  it('hold each entry once although others are gone', () => {
    const { timeline, db } = timelineOf([10, null, null, 20, 30, null, 5, 40])
    const within = db.prepare<[number, number]>('SELECT seq FROM journal WHERE seq > ? AND seq <= ? ORDER BY seq DESC')
    const found = (since?: number, until?: number) =>
      timeline.ranges(since, until, 8).flatMap(({ after, upTo }) => within.pluck().all(after, upTo))
    expect(found(20)).toEqual([8, 5, 4])
    expect(found(35)).toEqual([8])
    expect(found(undefined, 10)).toEqual([7, 1])
    expect(found(undefined, 30)).toEqual([7, 5, 4, 1])
    expect(found(undefined, 40)).toEqual([8, 7, 5, 4, 1])
  })
})
