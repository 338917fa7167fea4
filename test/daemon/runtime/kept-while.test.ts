import { describe, expect, it } from 'vitest'
import { keptWhile } from '../../../daemon/runtime/kept-while.ts'

function counting(most?: number) {
  const made: string[] = []
  const kept = keptWhile((of) => {
    made.push(of.join())
    return { of }
  }, most)
  return { kept, made }
}

describe('what is kept while its texts stay the same', () => {
  it('is made once for equal lists, and anew for another one', () => {
    const { kept, made } = counting()
    const first = kept('ada', ['a', 'b'])
    expect(kept('ada', ['a', 'b'])).toBe(first)
    for (const other of [['a'], ['a', 'c'], ['a', 'b', 'c'], []]) expect(kept('ada', other)).toEqual({ of: other })
    expect(made).toEqual(['a,b', 'a', 'a,c', 'a,b,c', ''])
  })

  it('is of its owner alone', () => {
    const { kept } = counting()
    expect(kept('ada', ['a'])).not.toBe(kept('bo', ['a']))
  })

  it('is forgotten when there are too many texts, what was asked for longest ago first', () => {
    const { kept, made } = counting(4)
    kept('ada', ['a', 'b'])
    kept('bo', ['c', 'd'])
    kept('ada', ['a', 'b'])
    kept('cy', ['e'])
    made.length = 0
    kept('ada', ['a', 'b'])
    expect(made).toEqual([])
    kept('bo', ['c', 'd'])
    expect(made).toEqual(['c,d'])
  })

  it('is kept for one list however long that is', () => {
    const { kept, made } = counting(2)
    const long = ['a', 'b', 'c']
    expect(kept('ada', long)).toBe(kept('ada', long))
    expect(made).toHaveLength(1)
  })
})
