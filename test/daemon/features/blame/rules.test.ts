import { describe, expect, it } from 'vitest'
import { hunksOf, linesOf, trace } from '../../../../daemon/features/blame/rules.ts'

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('')
const from = (versions: (string | null)[], now: string | null = null) => trace(versions, now).from

describe('lines', () => {
  it('are ended by line feeds, the last one with or without', () => {
    expect(linesOf('a\n\nb\n')).toEqual(['a', '', 'b'])
    expect(linesOf('a\nb')).toEqual(['a', 'b'])
    expect(linesOf('')).toEqual([])
  })

  it('come from the version that brought them, however many follow', () => {
    expect(from([text('a', 'b'), text('a', 'x', 'b'), text('y', 'a', 'x', 'b')])).toEqual([2, 0, 1, 0])
  })

  it('come from the newer version where a line was replaced, or removed and written again', () => {
    expect(from([text('a', 'b'), text('a', 'c'), text('a', 'b')])).toEqual([0, 2])
  })

  it('come from no version where nobody recorded them', () => {
    expect(from([text('a')], text('a', 'b'))).toEqual([0, null])
    expect(from([], text('a'))).toEqual([null])
    expect(from([text('a', 'b')], text('b'))).toEqual([0])
  })

  it('are unsure where a version between is not known', () => {
    const { from, unsure } = trace([text('a'), null, text('a', 'b'), text('a', 'b', 'c')], null)
    expect([from, unsure]).toEqual([
      [0, 2, 3],
      [false, true, false],
    ])
  })

  it('all count as new, and unsure, where two texts differ beyond all patience', () => {
    const one = Array.from({ length: 60_000 }, (_, at) => `one ${at}`)
    const other = Array.from({ length: 60_000 }, (_, at) => `other ${at}`)
    const { from, unsure } = trace([text(...one), text(...other)], null)
    expect([new Set(from), new Set(unsure)]).toEqual([new Set([1]), new Set([true])])
  })
})

it('neighbouring lines of one version are told together, within the wanted lines', () => {
  const traced = trace([text('a', 'b'), text('a', 'b', 'c', 'd')], null)
  expect(hunksOf(traced, 1, 99)).toEqual([
    { from: 1, version: 0, certain: true, lines: ['a', 'b'] },
    { from: 3, version: 1, certain: true, lines: ['c', 'd'] },
  ])
  expect(hunksOf(traced, 2, 3)).toEqual([
    { from: 2, version: 0, certain: true, lines: ['b'] },
    { from: 3, version: 1, certain: true, lines: ['c'] },
  ])
  expect(hunksOf(traced, 9, 12)).toEqual([])
})
