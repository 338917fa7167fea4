import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createOutbound } from '#kernel/outbound/outbound'
import { streamingFetch } from '#kernel/outbound/stream-fetch'
import { closing } from '#test'
import { fakeServer } from '../../../support/fake-server.ts'

const stream = { 'content-type': 'text/event-stream; charset=utf-8' }

/** A server that answers as told, asked by a fetch which takes the piece `whole` for an answer. */
async function asking(answer: (reply: ServerResponse) => unknown) {
  const connections = new Set<unknown>()
  const server = await fakeServer((_, reply) => {
    connections.add(reply.socket)
    answer(reply)
  })
  const outbound = createOutbound()
  closing(outbound)
  const whole = (piece: string) => (piece === 'whole' ? '{"whole":true}' : null)
  const fetch = streamingFetch(outbound, { operator: true, maxBytes: 1000, whole })
  return { ask: () => fetch(server.url, { method: 'POST', body: '{}' }), connections }
}

describe('a fetch of streams', () => {
  it('gives an answer that is whole with the first piece as JSON, though the stream goes on', async () => {
    const { ask } = await asking((reply) => reply.writeHead(200, stream).write('whole'))
    const reply = await ask()
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect(await reply.json()).toEqual({ whole: true })
  })

  it('uses the connection of such an answer again', async () => {
    const { ask, connections } = await asking((reply) => {
      reply.writeHead(200, stream).write('whole')
      setImmediate(() => reply.end(': more\n\n'))
    })
    const added = async () => {
      const before = connections.size
      await (await ask()).text()
      return connections.size - before
    }
    expect(await added()).toBe(1)
    await expect.poll(added).toBe(0)
  })

  it('gives every other stream as it comes, from its first byte on', async () => {
    const { ask } = await asking((reply) => {
      reply.writeHead(200, stream).write('one,')
      setImmediate(() => reply.end('two'))
    })
    const reply = await ask()
    expect(reply.headers.get('content-type')).toBe(stream['content-type'])
    expect(await reply.text()).toBe('one,two')
  })

  it.each([
    ['an empty stream', stream, ''],
    ['what is no stream of events', { 'content-type': 'text/plain' }, 'whole'],
  ])('gives %s unchanged', async (_, headers, body) => {
    const { ask } = await asking((reply) => reply.writeHead(200, headers).end(body))
    expect(await (await ask()).text()).toBe(body)
  })

  it('counts all that comes, also after the first piece', async () => {
    const { ask } = await asking((reply) => {
      reply.writeHead(200, stream).write('first')
      setImmediate(() => reply.end('x'.repeat(2000)))
    })
    await expect(ask().then((reply) => reply.text())).rejects.toThrow()
  })
})
