import { describe, expect, it } from 'vitest'
import {
  isDue,
  type Level,
  levelAt,
  levelOfRoom,
  lookAgain,
  mostFiles,
  reserveOf,
  shareOf,
  wordsOf,
} from '../../../../daemon/runtime/disk/rules.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3
const usage = (bytes: number, files = 10, complete = true) => ({ bytes, files, complete })

describe('the limit of a crew', () => {
  it('warns at four fifths and is full at all of it', () => {
    expect([0, 0.79, 0.8, 0.99, 1, 1.5].map((share) => levelAt(share, 'ok'))).toEqual([
      'ok',
      'ok',
      'warn',
      'warn',
      'full',
      'full',
    ])
  })

  it('does not flutter: a level ends clearly below where it began', () => {
    const history = [0.81, 0.79, 0.76, 0.8, 0.74, 0.79, 1.01, 0.99, 0.96, 1, 0.94, 0.99, 0.7]
    let level: Level = 'ok'
    const levels = history.map((share) => (level = levelAt(share, level)))
    expect(levels).toEqual([
      'warn',
      'warn',
      'warn',
      'warn',
      'ok',
      'ok',
      'full',
      'full',
      'full',
      'full',
      'warn',
      'warn',
      'ok',
    ])
  })

  it('counts bytes or files, whichever is nearer to its end', () => {
    expect(shareOf(usage(5 * GB), 10 * GB)).toBe(0.5)
    expect(shareOf(usage(GB, mostFiles * 0.9), 10 * GB)).toBe(0.9)
    expect(shareOf(usage(0, 0, false), 10 * GB)).toBe(Infinity)
  })

  it('is said in words', () => {
    expect(wordsOf(usage(8.1 * GB), 10 * GB)).toBe('8.1 GB of 10.0 GB')
    expect(wordsOf(usage(60 * MB), 64 * MB)).toBe('60 MB of 64 MB')
    expect(wordsOf(usage(GB, 1_900_000), 10 * GB)).toBe('1900000 of 2000000 files')
    expect(wordsOf(usage(GB, 1, false), 10 * GB)).toMatch(/^more than 2000000 files, or folders nested/)
  })
})

describe('the reserve of the daemon', () => {
  const room = (used: number, free: number) => ({ total: used + free, used, free })

  it('is what is set, but a twentieth of a small disk', () => {
    expect(reserveOf(room(50 * GB, 50 * GB), 512 * MB)).toBe(512 * MB)
    expect(reserveOf(room(0, 24 * MB), 512 * MB)).toBe(1.2 * MB)
    expect(reserveOf(room(0, 24 * MB), 0)).toBe(0)
  })

  it('is what is left when nothing may be added', () => {
    const levels = (before: Level, ...frees: number[]) =>
      frees.map((free) => levelOfRoom(room((100 - free) * MB, free * MB), 10 * MB, before))
    expect(levels('ok', 60, 29, 28, 11, 10, 0)).toEqual(['ok', 'ok', 'warn', 'warn', 'full', 'full'])
    expect(levels('warn', 33, 32, 10)).toEqual(['ok', 'warn', 'full'])
    expect(levels('full', 11, 15, 16, 33)).toEqual(['full', 'full', 'warn', 'ok'])
    expect(levelOfRoom(room(100 * MB, 0), 0, 'ok')).toBe('ok')
    // A disk of which root keeps a part for itself is measured by what others may have.
    expect(levelOfRoom({ total: 1000 * MB, used: 45 * MB, free: 55 * MB }, 10 * MB, 'ok')).toBe('ok')
  })

  it('is looked at sooner than a fast writer can reach it', () => {
    expect(lookAgain(room(0, 100 * GB), GB)).toBe(5000)
    expect(lookAgain(room(0, 3 * GB), GB)).toBe(2000)
    expect(lookAgain(room(0, GB), GB)).toBe(200)
    expect(lookAgain(room(0, 0), GB)).toBe(200)
  })
})

describe('counting', () => {
  const limit = 16 * GB
  const due = (counted: Partial<Parameters<typeof isDue>[0]>, written: number, age: number) =>
    isDue(
      { usage: usage(GB), at: 1000, took: 0, used: 50 * GB, ...counted },
      { total: 0, used: 50 * GB + written, free: 0 },
      limit,
      1000 + age,
    )

  it('waits until enough was written, or much time has passed', () => {
    expect(due({}, 0, 599_000)).toBe(false)
    expect(due({}, 0, 600_000)).toBe(true)
    expect(due({}, GB - 1, 6000)).toBe(false)
    expect(due({}, GB, 6000)).toBe(true)
  })

  it('does not wait when others free space, which hides what the crew writes', () => {
    expect(due({}, 1 - GB, 6000)).toBe(false)
    expect(due({}, -GB, 6000)).toBe(true)
  })

  it('comes sooner when the limit is near', () => {
    expect(due({ usage: usage(15.5 * GB) }, 255 * MB, 6000)).toBe(false)
    expect(due({ usage: usage(15.5 * GB) }, 256 * MB, 6000)).toBe(true)
    expect(due({ usage: usage(17 * GB) }, MB, 6000)).toBe(true)
  })

  it('takes a fifth of the time at most', () => {
    expect(due({}, 10 * GB, 4999)).toBe(false)
    expect(due({ took: 10_000 }, 10 * GB, 39_999)).toBe(false)
    expect(due({ took: 10_000 }, 10 * GB, 40_000)).toBe(true)
  })

  it('begins a minute after a crew was noticed, or when it writes', () => {
    expect(due({ usage: null }, 0, 59_999)).toBe(false)
    expect(due({ usage: null }, 0, 60_000)).toBe(true)
    expect(due({ usage: null }, GB, 5000)).toBe(true)
  })
})
