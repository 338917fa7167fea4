import { describe, expect, it } from 'vitest'
import { createSeats } from '../../../../daemon/kernel/limits/seats.ts'

describe('places', () => {
  it('are so many for each holder, and so many in all', () => {
    const seats = createSeats({ each: 2, all: 3 })
    expect(seats.take('a')).toBeTypeOf('function')
    expect(seats.take('a')).toBeTypeOf('function')
    expect([seats.take('a'), seats.full]).toEqual([null, false])
    expect(seats.take('b')).toBeTypeOf('function')
    expect([seats.take('b'), seats.take('c'), seats.full]).toEqual([null, null, true])
  })

  it('are given back once', () => {
    const seats = createSeats({ each: 1, all: 2 })
    const leave = seats.take('a')!
    seats.take('b')
    leave()
    leave()
    expect(seats.take('a')).toBeTypeOf('function')
    expect([seats.take('c'), seats.full]).toEqual([null, true])
  })
})
