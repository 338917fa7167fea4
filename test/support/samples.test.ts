import { expect, it } from 'vitest'
import { median, tellApart } from './samples.ts'

/** Numbers that look random and are the same each time. */
function noise(seed: number, count: number): number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32
    return state / 2 ** 32
  })
}
const series = (seed: number, from: number, spread: number) => noise(seed, 24).map((it) => from + it * spread)

it('knows the published value of a small example', () => {
  // Two series without ties, U = 0 of 5 x 5: z = 12/4.787.
  expect(tellApart([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0).p).toBeCloseTo(0.0122, 4)
  expect(tellApart([1, 3, 5, 7, 9], [2, 4, 6, 8, 10], 0).p).toBeCloseTo(0.6761, 3)
  expect(tellApart([1, 1, 1], [1, 1, 1], 0).p).toBe(1)
})

it('takes the middle', () => expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]))

it('finds no leak where there is none, in a hundred pairs of series', () => {
  for (let seed = 1; seed <= 100; seed += 1)
    expect(tellApart(series(seed, 200, 40), series(seed + 1000, 200, 40), 3).leak, `seed ${seed}`).toBe(false)
})

it('finds a leak as large as the noise', () => {
  for (let seed = 1; seed <= 100; seed += 1)
    expect(tellApart(series(seed, 200, 40), series(seed + 1000, 240, 40), 3).leak, `seed ${seed}`).toBe(true)
})

it('calls nothing a leak that nobody could use', () => {
  const verdict = tellApart(series(1, 10, 0.1), series(2, 12, 0.1), 3)
  expect(verdict).toMatchObject({ leak: false })
  expect(verdict.p).toBeLessThan(0.001)
})

it('is not misled by a few very slow answers', () => {
  const some = series(5, 200, 40)
  const slow = [...series(6, 200, 40).slice(3), 4000, 5000, 6000]
  expect(tellApart(some, slow, 3).leak).toBe(false)
})
