import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineLimit, lineSplitter } from '../../../../daemon/runtime/adapters/lines.ts'

/** What comes of these chunks, and of the end when `flush` says so. */
function split(chunks: (string | Buffer)[], { limit = 8, flush = true } = {}) {
  const found: unknown[] = []
  const splitter = lineSplitter(
    { line: (text, cut) => found.push([text, cut]), tooLong: (bytes) => found.push(bytes) },
    limit,
  )
  for (const chunk of chunks) splitter.feed(Buffer.from(chunk))
  if (flush) splitter.flush()
  return found
}

it('lines end with a newline, or are cut by the end', () => {
  expect(split(['ab\nc', 'd\n', 'ef'])).toEqual([
    ['ab', false],
    ['cd', false],
    ['ef', true],
  ])
  expect(split(['ab\nef'], { flush: false })).toEqual([['ab', false]])
  expect(split(['ab\n'])).toEqual([['ab', false]])
  expect(split(['x'])).toEqual([['x', true]])
})

it('a carriage return belongs to the end; lines without a letter are none', () =>
  expect(split(['ab\r\n', '\r\n', ' \t\n', '\n', 'c\rd\n', '\r'])).toEqual([
    ['ab', false],
    ['c\rd', false],
  ]))

it('characters are whole wherever they are cut', () => {
  const [one, two] = [Buffer.from('ä\n').subarray(0, 1), Buffer.from('ä\n').subarray(1)]
  expect(split([one, two])).toEqual([['ä', false]])
})

it('a line over the limit is told by its size alone', () => {
  expect(split(['12345678\n', '123456789\n', 'a\n'])).toEqual([['12345678', false], 9, ['a', false]])
  expect(split(['12345', '6789', '0\nab'])).toEqual([10, ['ab', true]])
  expect(split(['123456789'])).toEqual([9])
  expect(lineLimit).toBe(16_777_216)
})

it('bytes read the same however they are cut: several lines at once, one by one, or byte for byte', () => {
  const pieces = ['a', 'ä', '€', '\n', '\r\n', ' ', '{', Buffer.from([0xff]), Buffer.from([0xe2, 0x82])]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), fc.nat(60), (parts, at) => {
      const bytes = Buffer.concat(parts.map((it) => Buffer.from(it)))
      const single = [...bytes].map((byte) => Buffer.from([byte]))
      const whole = split([bytes], { limit: 1000 })
      expect(whole).toEqual(split(single, { limit: 1000 }))
      expect(whole).toEqual(split([bytes.subarray(0, at), bytes.subarray(at)], { limit: 1000 }))
      expect(split([bytes])).toEqual(split(single))
    }),
  )
})

it('many lines at once are read whole, with wide characters in any of them', () => {
  const line = fc.oneof(fc.constantFrom('a', 'ä', '€'), fc.constantFrom('x'.repeat(700), '€'.repeat(400)))
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (lines) => {
      const bytes = Buffer.from(lines.map((it) => `${it}\n`).join(''))
      expect(split([bytes], { limit: 100_000 })).toEqual(lines.map((it) => [it, false]))
    }),
  )
})
