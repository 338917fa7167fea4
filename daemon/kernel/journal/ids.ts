import { randomInt } from 'node:crypto'

const lowBits = 0x100000

/**
 * Makes entry ids: `j_` and 16 hexadecimal digits, 11 of milliseconds and 5 that start at random and count up. Ids grow
 * with every entry even if the clock goes back, so they sort as the entries and the index is only appended to.
 */
export function createEntryIds(newest: string | undefined): (now: number) => string {
  let high = newest ? Number.parseInt(newest.slice(2, 13), 16) : 0
  let low = newest ? Number.parseInt(newest.slice(13), 16) : 0
  return (now) => {
    if (now > high) {
      high = now
      low = randomInt(lowBits / 2)
    } else if (++low === lowBits) {
      high++
      low = 0
    }
    return `j_${high.toString(16).padStart(11, '0')}${low.toString(16).padStart(5, '0')}`
  }
}
