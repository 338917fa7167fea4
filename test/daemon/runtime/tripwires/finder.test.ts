import { describe, expect, it } from 'vitest'
import { createFinder } from '../../../../daemon/runtime/tripwires/finder.ts'

const value = 'sk_live_aB3dE5gH7jK9mN1pQ3sT5vX7z'
const finder = createFinder([
  { id: 'first', value: 'ghp_another0value0of0another0shape' },
  { id: 'second', value },
])!

describe('a finder of decoys', () => {
  it.each([
    ['as it is', `key: ${value}.`],
    ['in base64', `Basic ${Buffer.from(`user:${value}`).toString('base64')}`],
    ['in hex', Buffer.from(value).toString('hex')],
    ['in an address', `/?k=${encodeURIComponent(value)}`],
    ['in JSON', JSON.stringify({ text: JSON.stringify({ value }) })],
  ])('finds one %s', (_, text) => expect(finder.in(text)).toBe('second'))

  it('finds one that is cut anywhere, when it is complete', () => {
    for (let at = 1; at < value.length; at++) {
      const look = finder.stream()
      const bytes = Buffer.from(`é ${value} é`)
      expect([look(bytes.subarray(0, 3 + at)), look(bytes.subarray(3 + at))]).toEqual([null, 'second'])
    }
  })

  it('finds none where there is a part of one, and is none without decoys', () => {
    const look = finder.stream()
    expect([look(Buffer.from(value.slice(0, -1))), look(Buffer.from(' and more'))]).toEqual([null, null])
    expect(createFinder([])).toBeNull()
  })
})
