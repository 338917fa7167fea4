import { expect, it } from 'vitest'
import { OutputBuffer } from '../../../daemon/runtime/output-buffer.ts'

it('keeps the last bytes, and says where they begin', () => {
  const buffer = new OutputBuffer(4)
  const since = (offset: number) => {
    const { content, from } = buffer.since(offset)
    return [String(content), from]
  }
  expect(since(0)).toEqual(['', 0])
  buffer.add(Buffer.from('ab'))
  expect([since(0), since(1), since(9)]).toEqual([
    ['ab', 0],
    ['b', 1],
    ['', 2],
  ])
  buffer.add(Buffer.from('cdef'))
  expect([since(0), since(3)]).toEqual([
    ['cdef', 2],
    ['def', 3],
  ])
  buffer.add(Buffer.from('0123456789'))
  expect([since(0), since(-5)]).toEqual([
    ['6789', 12],
    ['6789', 12],
  ])
})
