import { expect, it } from 'vitest'
import { createWildcardNames } from '#runtime/sidecar/wildcard-names'

function names() {
  const clock = { now: 0 }
  const check = createWildcardNames(() => clock.now)
  const refused = (count: number, from: number, caller: number | null = 20001) => {
    let refusals = 0
    for (let i = from; i < from + count; i++) if (check(caller, `n${i}.wide.example`, '.wide.example')) refusals++
    return refusals
  }
  return { clock, check, refused }
}

it('lets an agent ask for thirty new names a minute, and for those that it knows at any time', () => {
  const { clock, refused } = names()
  expect(refused(40, 0)).toBe(10)
  expect(refused(30, 0)).toBe(0)
  clock.now = 20_000
  expect(refused(12, 100)).toBe(2)
  clock.now = 600_000
  expect(refused(40, 200)).toBe(10) // what was not used is not saved up
})

it('counts each agent by itself', () => {
  const { refused } = names()
  expect([refused(31, 0), refused(31, 0, 20002), refused(31, 0, null)]).toEqual([1, 1, 1])
})

it('remembers so many names and no more', () => {
  const { clock, refused } = names()
  for (let from = 0; from < 210; from += 30) {
    clock.now += 60_000
    expect(refused(30, from)).toBe(0)
  }
  expect(refused(1, 0)).toBe(1) // forgotten, and there is nothing left for new ones
  expect(refused(200, 10)).toBe(0) // the two hundred that came last
})

it('bounds what stands in front of the domain', () => {
  const { check } = names()
  expect(check(1, `${'a'.repeat(100)}.wide.example`, '.wide.example')).toBeNull()
  expect(check(1, `${'a'.repeat(101)}.wide.example`, '.wide.example')).toContain(
    'more than 100 characters in front of .wide.example',
  )
})
