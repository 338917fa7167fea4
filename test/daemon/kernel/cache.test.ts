import { expect, it } from 'vitest'
import { createCache, memoize } from '#kernel/cache'

it('keeps what was asked for last', () => {
  const cache = createCache<number>(3)
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index)
  expect(cache.get('a')).toBe(0)
  cache.set('d', 3)
  expect([...cache.entries()]).toEqual([
    ['c', 2],
    ['a', 0],
    ['d', 3],
  ])
  cache.set('c', 9)
  expect([cache.size, cache.get('c')]).toEqual([3, 9])
  cache.delete('c')
  expect([cache.size, cache.get('c')]).toEqual([2, undefined])
})

it('remembers answers, also when they are nothing', () => {
  const asked: string[] = []
  const find = memoize(2, (key) => {
    asked.push(key)
    return key === 'b' ? undefined : key
  })
  expect(['a', 'b', 'a', 'b', 'c', 'a'].map(find)).toEqual(['a', undefined, 'a', undefined, 'c', 'a'])
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
})
