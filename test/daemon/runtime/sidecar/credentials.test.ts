import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cooldownMs, createTurns } from '#runtime/sidecar/credentials'
import { credential } from './support.ts'

const named = (name: string, priority: number) => credential('ANTHROPIC', name, { priority })

function turns() {
  const clock = { now: 5000 }
  const it = createTurns(() => clock.now)
  const next = (list: ReturnType<typeof named>[]) => {
    const [first] = it.order(list)
    it.used(first!)
    return first!.token
  }
  return { ...it, clock, next }
}

describe('turns', () => {
  it('takes the lowest priority number, and equals in turn', () => {
    const { next } = turns()
    const list = [named('c', 2), named('a', 1), named('b', 1)]
    expect(Array.from({ length: 6 }, () => next(list))).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  })

  it('puts a limited credential behind worse ones for five minutes', () => {
    const { next, limited, clock } = turns()
    const [a, b] = [named('a', 1), named('b', 9)]
    limited(a)
    expect(next([a, b])).toBe('b')
    clock.now += cooldownMs - 1
    expect(next([a, b])).toBe('b')
    clock.now += 1
    expect(next([a, b])).toBe('a')
  })

  it('still offers limited ones when there is no other, the soonest free first', () => {
    const { order, limited, clock } = turns()
    const [a, b] = [named('a', 1), named('b', 2)]
    limited(b)
    clock.now += 1000
    limited(a)
    expect(order([a, b]).map((it) => it.token)).toEqual(['b', 'a'])
  })

  it('forgets the limit of a value that was rotated', () => {
    const { order, limited } = turns()
    const old = named('old', 1)
    const fresh = { ...old, token: 'fresh' }
    limited(old)
    expect(order([named('z', 2), fresh]).map((it) => it.token)).toEqual(['fresh', 'z'])
  })

  it('never loses or invents a credential, and never prefers a higher number among unlimited ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ priority: fc.integer({ min: 0, max: 3 }), limited: fc.boolean() }), { maxLength: 8 }),
        (list) => {
          const { order, limited } = turns()
          const all = list.map((it, index) => named(`t${index}`, it.priority))
          all.forEach((it, index) => void (list[index]!.limited && limited(it)))
          const ordered = order(all)
          expect(new Set(ordered)).toEqual(new Set(all))
          const free = ordered.slice(0, list.filter((it) => !it.limited).length)
          expect(free.every((it) => !list[all.indexOf(it)]!.limited)).toBe(true)
          expect(free.map((it) => it.priority)).toEqual(free.map((it) => it.priority).sort((a, b) => a - b))
        },
      ),
    )
  })
})
