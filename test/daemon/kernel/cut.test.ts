import { describe, expect, it } from 'vitest'
import { cut, cutBytes } from '../../../daemon/kernel/cut.ts'

describe('a text that is cut', () => {
  it('has the mark within the limit', () => {
    expect(cut('x'.repeat(20), 20)).toBe('x'.repeat(20))
    expect(cut('x'.repeat(21), 20)).toBe(`${'x'.repeat(9)}\n(cut here)`)
  })
  it('is cut between characters', () =>
    expect(cut(`${'x'.repeat(8)}😀${'x'.repeat(20)}`, 20)).toBe(`${'x'.repeat(8)}\n(cut here)`))
  it.each([
    ['x', 9],
    ['\u00e9', 8],
    ['\u754c', 9],
    ['\u{1f600}', 8],
  ])('is cut between characters within a limit of bytes: %s', (one, kept) => {
    const whole = one.repeat(20 / Buffer.byteLength(one))
    expect(cutBytes(whole, 20)).toBe(whole)
    const text = cutBytes(one.repeat(30), 20)
    expect(text.endsWith('\n(cut here)')).toBe(true)
    expect(Buffer.byteLength(text)).toBe(kept + 11)
  })
})
