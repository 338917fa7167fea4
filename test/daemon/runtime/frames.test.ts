import { describe, expect, it } from 'vitest'
import { encodeFrame, type Frame, frameReader, frameTypes } from '../../../daemon/runtime/spool/frames.ts'

const hello = (nonce: string) => encodeFrame(frameTypes.hello, 0, Buffer.from(nonce))
const data = (request: number, text: string) => encodeFrame(frameTypes.data, request, Buffer.from(text))
const done = (request: number, text: string) => encodeFrame(frameTypes.done, request, Buffer.from(text))

/** What is read of a stream that is cut every `size` bytes, the pieces of a data payload put together. */
function read(stream: Buffer, size: number): string[] {
  const seen: (Frame & { text: string })[] = []
  const reader = frameReader('mine', ({ payload, ...frame }) => {
    const last = seen.at(-1)
    if (last?.type === frameTypes.data && frame.type === frameTypes.data && last.request === frame.request)
      last.text += payload
    else seen.push({ ...frame, payload, text: payload.toString() })
  })
  for (let at = 0; at < stream.length; at += size) reader(Buffer.from(stream.subarray(at, at + size)))
  return seen.map(({ type, request, text }) => `${type} ${request} ${text}`)
}

describe('frames', () => {
  const stream = Buffer.concat([
    hello('mine'),
    data(1, 'a'.repeat(300)),
    data(2, 'b'),
    done(2, '{"x":1}'),
    done(3, ''),
    data(1, 'c'),
    done(1, 'end'),
  ])

  it.each([1, 2, 3, 7, 8, 9, 10, 64, 311, 100_000])(
    'read the same however they are cut: %i bytes at a time',
    (size) => {
      expect(read(stream, size)).toEqual([
        '1 0 mine',
        `2 1 ${'a'.repeat(300)}`,
        '2 2 b',
        '3 2 {"x":1}',
        '3 3 ',
        '2 1 c',
        '3 1 end',
      ])
    },
  )

  it.each([1, 5, 4096])('are passed over until our own hello: %i bytes at a time', (size) => {
    const before = Buffer.concat([
      data(9, 'of a daemon before').subarray(7),
      hello('theirs'),
      data(1, 'theirs too'),
      Buffer.from('mine'),
      Buffer.alloc(20, 255),
    ])
    expect(read(Buffer.concat([before, stream]), size)[0]).toBe('1 0 mine')
    expect(read(Buffer.concat([before, stream]), size)).toEqual(read(stream, size))
    expect(read(before, size)).toEqual([])
  })
})
