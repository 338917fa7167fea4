import { describe, expect, it } from 'vitest'
import { type Level, levelAt, lookAgain, mostFiles, reserveOf, shareOf, shareOfRoom, wordsOf } from '../../../../daemon/runtime/disk/rules.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3
const usage = (bytes: number, files = 10, complete = true) => ({ bytes, files, complete })

describe('the limit of a crew', () => {
  it('warns at four fifths and is full at all of it', () => {
    expect([0, 0.79, 0.8, 0.99, 1, 1.5].map((share) => levelAt(share, 'ok'))).toEqual(['ok', 'ok', 'warn', 'warn', 'full', 'full'])
  })

  it('does not flutter: a level ends clearly below where it began', () => {
    const history = [0.81, 0.79, 0.76, 0.8, 0.74, 0.79, 1.01, 0.99, 0.96, 1, 0.94, 0.99, 0.7]
    let level: Level = 'ok'
    const levels = history.map((share) => (level = levelAt(share, level)))
    expect(levels).toEqual(['warn', 'warn', 'warn', 'warn', 'ok', 'ok', 'full', 'full', 'full', 'full', 'warn', 'warn', 'ok'])
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
    expect(shareOfRoom(room(90 * MB, 10 * MB), 10 * MB)).toBe(1)
    expect(shareOfRoom(room(90 * MB, 5 * MB), 10 * MB)).toBe(1)
    expect(shareOfRoom(room(45 * MB, 55 * MB), 10 * MB)).toBe(0.5)
    // A disk of which root keeps a part for itself is measured by what others may have.
    expect(shareOfRoom({ total: 1000 * MB, used: 45 * MB, free: 55 * MB }, 10 * MB)).toBe(0.5)
    expect(shareOfRoom(room(100 * MB, 0), 0)).toBe(1)
  })

  it('is looked at sooner than a fast writer can reach it', () => {
    expect(lookAgain(room(0, 100 * GB), GB)).toBe(5000)
    expect(lookAgain(room(0, 3 * GB), GB)).toBe(2000)
    expect(lookAgain(room(0, GB), GB)).toBe(200)
    expect(lookAgain(room(0, 0), GB)).toBe(200)
  })
})
