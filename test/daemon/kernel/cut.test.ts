import { describe, expect, it } from 'vitest'
import { cut } from '../../../daemon/kernel/cut.ts'

describe('a text that is cut', () => {
  it('has the mark within the limit', () => {
    expect(cut('x'.repeat(20), 20)).toBe('x'.repeat(20))
    expect(cut('x'.repeat(21), 20)).toBe(`${'x'.repeat(9)}\n(cut here)`)
  })
  it('is cut between characters', () =>
    expect(cut(`${'x'.repeat(8)}😀${'x'.repeat(20)}`, 20)).toBe(`${'x'.repeat(8)}\n(cut here)`))
})
