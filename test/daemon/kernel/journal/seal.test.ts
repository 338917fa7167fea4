import { describe, expect, it } from 'vitest'
import { fold, type Head, headsOf, makeSeal, readSeals, type Seal } from '#kernel/journal/seal'

const key = Buffer.alloc(32, 1)
const hash = (n: number) => String(n).padStart(64, '0')
const head = (workspace: string, seq: number): Head => [workspace, seq, seq, hash(seq)]

/** Seals at these places, each of the workspace that stands with it. */
function sealed(...places: [workspace: string, seq: number][]): Seal[] {
  const seals: Seal[] = []
  for (const [workspace, seq] of places) {
    const prev = seals.at(-1)?.mac ?? ''
    seals.push(
      makeSeal(key, {
        installation: 'i',
        at: `2026-01-01T00:00:${String(seals.length).padStart(2, '0')}Z`,
        seq,
        heads: [head(workspace, seq)],
        prev,
      }),
    )
  }
  return seals
}

const text = (seals: readonly Seal[]) => seals.map((seal) => `${JSON.stringify(seal)}\n`).join('')
const three = sealed(['a', 3], ['b', 5], ['a', 9])

describe('readSeals', () => {
  it('reads what was written, and leaves out half a line at the end', () => {
    expect(readSeals(text(three), key)).toEqual({ seals: three, fault: null, size: text(three).length })
    expect(readSeals(`${text(three)}{"v":1,"inst`, key)).toEqual({
      seals: three,
      fault: null,
      size: text(three).length,
    })
    expect(readSeals(text(three), null).fault).toBeNull()
  })

  it.each(['', '{"v":1', 'x'])('says of %j that nothing is sealed', (it) =>
    expect(readSeals(it, key)).toMatchObject({ seals: [], fault: { kind: 'seal_missing' }, size: 0 }),
  )

  it.each<[string, object]>([
    ['of another version', { v: 2 }],
    ['without an installation', { installation: 5 }],
    ['without a time', { at: null }],
    ['that names none before', { prev: undefined }],
    ['without a code', { mac: 5 }],
    ['without a place', { seq: 1.5 }],
    ['with one head', { heads: 'a' }],
    ['with heads by name', { heads: { length: 1 } }],
    ['with a head without a workspace', { heads: [[5, 3, 3, hash(3)]] }],
    ['with a head without a place', { heads: [['a', '3', 3, hash(3)]] }],
    ['with a head without a count', { heads: [['a', 3, '3', hash(3)]] }],
    ['with a head without a hash', { heads: [['a', 3, 3, 3]] }],
    ['with a head by name', { heads: [{ 0: 'a', 1: 3, 2: 3, 3: hash(3) }] }],
    ['with a text for a head', { heads: ['a333'] }],
  ])('takes no line %s for a seal', (_what, change) => {
    const lines = [three[0]!, { ...three[1]!, ...change }, three[2]!].map((line) => `${JSON.stringify(line)}\n`)
    expect(readSeals(lines.join(''), null)).toMatchObject({
      seals: [three[0]],
      fault: { kind: 'forged', reason: 'line 2 of the seal file is no seal' },
    })
  })

  it.each<[string, string, number]>([
    ['another key', text(three), 2],
    ['a changed number of entries', text(three).replace('["b",5,5,', '["b",4,5,'), 1],
    ['a changed hash', text(three).replace(hash(3), hash(4)), 1],
    ['a changed time', text(three).replace('00:02Z', '00:03Z'), 1],
    ['a seal that was left out', text([three[0]!, three[2]!]), 1],
    ['a first seal that was left out', text(three.slice(1)), 1],
    ['seals in another order', text([three[1]!, three[0]!, three[2]!]), 1],
    ['a line that is no seal', `${text(three)}{}\n`, 1],
    ['a line that is no JSON', `${text(three)}x\n`, 1],
    ['heads that are none', text(three).replace('[["a",3,3,', '[["a","3",3,'), 1],
  ])('finds %s', (_what, it, by) =>
    expect(readSeals(it, Buffer.alloc(32, by))).toMatchObject({ fault: { kind: 'forged' } }),
  )
})

describe('fold', () => {
  it('keeps the newest seals and the last one of each block, with every head', () => {
    const seals = sealed(['a', 1], ['b', 2], ['a', 16_384], ['b', 16_385], ['b', 16_390], ['a', 16_400])
    const folded = fold(key, seals, 1)
    expect(folded.map(({ seq, at, heads }) => [seq, at, heads])).toEqual([
      [16_384, '2026-01-01T00:00:02Z', [head('a', 16_384), head('b', 2)]],
      [16_390, '2026-01-01T00:00:04Z', [head('b', 16_390)]],
      [16_400, '2026-01-01T00:00:05Z', [head('a', 16_400)]],
    ])
    expect(readSeals(text(folded), key).fault).toBeNull()
    expect(headsOf(folded)).toEqual(headsOf(seals))
  })
})
