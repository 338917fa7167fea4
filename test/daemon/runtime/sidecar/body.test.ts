import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Body, bodyLimit } from '#runtime/sidecar/body'
import { text } from './support.ts'

const sending = (length: number | null) => {
  const request = new PassThrough()
  const sink = new PassThrough({ highWaterMark: bodyLimit })
  let refused = 0
  const body = new Body(request as unknown as IncomingMessage, length, () => void refused++)
  body.sendTo(sink)
  return { request, sink, refused: () => refused }
}

it('a body that grows past its stated length is refused, and what is too much goes nowhere', async () => {
  const { request, sink, refused } = sending(3)
  request.write('abc')
  request.write('POST / HTTP/1.1')
  request.end('more')
  expect(await text(sink)).toBe('abc')
  expect(refused()).toBe(1)
})

it('a body without a stated length ends where it ends', async () => {
  const { request, sink, refused } = sending(null)
  request.write('abc')
  request.end('def')
  expect(await text(sink)).toBe('abcdef')
  expect(refused()).toBe(0)
})
