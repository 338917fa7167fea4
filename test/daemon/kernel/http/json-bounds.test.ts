import { describe, expect, it } from 'vitest'
import { outOfBounds } from '#kernel/http/json-bounds'
import { hostileJson, oddJson } from '../../../support/hostile-json.ts'

const nested = (deep: number) => JSON.parse('['.repeat(deep) + ']'.repeat(deep))

describe('bounds of JSON', () => {
  it.each(hostileJson)('refuse %s', (_, json) => expect(outOfBounds(JSON.parse(json))).toEqual(expect.any(String)))
  it.each(hostileJson)('refuse %s within a member', (_, json) =>
    expect(outOfBounds({ reason: [JSON.parse(json)] })).toEqual(expect.any(String)),
  )
  it.each(oddJson)('take %s', (_, json) => expect(outOfBounds(JSON.parse(json))).toBeNull())

  it('are 32 levels, 2,000 members, and names of 200 characters', () => {
    expect([outOfBounds(nested(33)), outOfBounds(nested(34))]).toEqual([null, 'it is nested more than 32 deep'])
    expect([outOfBounds(Array(2000).fill(0)), outOfBounds(Array(2001).fill(0))]).toEqual([
      null,
      'it has more than 2000 members',
    ])
    expect([outOfBounds({ ['n'.repeat(200)]: 1 }), outOfBounds({ ['n'.repeat(201)]: 1 })]).toEqual([
      null,
      'a name in it has more than 200 characters',
    ])
  })

  it('count all that lies within each other', () => {
    const row = Array(100).fill(0)
    expect(outOfBounds(Array(19).fill(row))).toBeNull()
    expect(outOfBounds(Array(20).fill(row))).toBe('it has more than 2000 members')
  })
})
