import type { IncomingMessage } from 'node:http'
import { PassThrough, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { Body, bodyLimit } from '#runtime/sidecar/body'
import { text } from './support.ts'

/** A body that has gone by, whole. */
async function gone(content: Buffer | string) {
  const request = new PassThrough()
  const body = new Body(request as unknown as IncomingMessage, null, () => undefined)
  const ended = new Promise((done) => request.once('end', done))
  body.sendTo(new Writable({ write: (_chunk, _encoding, next) => next() }))
  request.end(content)
  await ended
  return body
}

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

it('a body that went by is sent again from its first byte, to the new one alone', async () => {
  const body = await gone('abcdef')
  expect(body.repeatable).toBe(true)
  const again = new PassThrough()
  body.sendTo(again)
  expect(await text(again)).toBe('abcdef')
  body.release()
  expect(body.repeatable).toBe(false)
})

it('a body that nobody wants is read to its end', async () => {
  const request = new PassThrough()
  const body = new Body(request as unknown as IncomingMessage, null, () => undefined)
  const ended = new Promise((done) => request.once('end', () => done('read')))
  body.discard()
  request.end('abc')
  expect(await ended).toBe('read')
})

it('bodies are kept up to 80 MiB together', async () => {
  const [large, small] = [Buffer.alloc(10 * 1024 * 1024 - 100), Buffer.alloc(1000)]
  const kept = await Promise.all(Array.from({ length: 8 }, () => gone(large)))
  expect(kept.map(({ repeatable }) => repeatable)).toEqual(Array(8).fill(true))
  expect((await gone(small)).repeatable).toBe(false)
  kept[0]!.release()
  const next = await gone(small)
  expect(next.repeatable).toBe(true)
  for (const body of [next, ...kept]) body.discard()
})
