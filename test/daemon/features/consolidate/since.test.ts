import { expect, it } from 'vitest'
import { sinceMs } from '../../../../daemon/features/consolidate/since.ts'

const hour = 3_600_000

it.each([
  ['90m', 1.5 * hour],
  ['1h30m', 1.5 * hour],
  ['1.5h', 1.5 * hour],
  ['3d', 72 * hour],
  ['2w', 14 * 24 * hour],
  ['1d12h', 36 * hour],
  ['500ms', 500],
  [undefined, 24 * hour],
  ['', 24 * hour],
  ['0s', 24 * hour],
  ['-3h', 24 * hour],
  ['soon', 24 * hour],
  ['3h and more', 24 * hour],
  ['3', 24 * hour],
  ['99999999999999999w', 100 * 365 * 24 * hour],
])('%s is so many milliseconds', (text, ms) => expect(sinceMs(text)).toBe(ms))
