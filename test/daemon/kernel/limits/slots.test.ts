import { describe, expect, it } from 'vitest'
import { createSlots } from '../../../../daemon/kernel/limits/slots.ts'

describe('places', () => {
  it('are so many for each holder, and so many in all', () => {
    const slots = createSlots({ each: 2, all: 3 })
    expect(slots.take('a')).toBeTypeOf('function')
    expect(slots.take('a')).toBeTypeOf('function')
    expect([slots.take('a'), slots.full]).toEqual([null, false])
    expect(slots.take('b')).toBeTypeOf('function')
    expect([slots.take('b'), slots.take('c'), slots.full]).toEqual([null, null, true])
  })

  it('are given back one by one', () => {
    const slots = createSlots({ each: 2 })
    for (let round = 0; round < 2; round++) {
      const [first, second] = [slots.take('a')!, slots.take('a')!]
      first()
      const third = slots.take('a')!
      expect(slots.take('a')).toBeNull()
      second()
      third()
    }
  })

  it('are given back once', () => {
    const slots = createSlots({ each: 1, all: 2 })
    const leave = slots.take('a')!
    slots.take('b')
    leave()
    leave()
    expect(slots.take('a')).toBeTypeOf('function')
    expect([slots.take('c'), slots.full]).toEqual([null, true])
  })
})
