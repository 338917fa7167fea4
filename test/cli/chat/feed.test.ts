import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createConnection } from '#client'
import { type FeedEvent, type FeedOptions, feed } from '../../../cli/chat/feed.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

type Script = (reply: ServerResponse, lastSeq: number) => unknown

const open = (from_seq: number, active = true) => ({ type: 'stream.open', chat_id: 'c1', from_seq, active })
const text = (seq: number) => ({ type: 'text', content: `${seq} `, seq })
const done = (seq: number) => ({ type: 'done', content: '', metadata: { trace_id: 'r1' }, seq })
const end = (reason: string) => ({ type: 'stream.end', reason, last_seq: 0 })

const send =
  (...frames: object[]) =>
  (reply: ServerResponse) => {
    reply.writeHead(200, { 'content-type': 'application/x-ndjson' })
    reply.end(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''))
  }
/** As a daemon that is killed: in the middle of a line. */
const breakAfter =
  (...frames: object[]) =>
  (reply: ServerResponse) => {
    reply.writeHead(200, { 'content-type': 'application/x-ndjson' })
    reply.write(`${frames.map((frame) => `${JSON.stringify(frame)}\n`).join('')}{"type":"text","cont`, () => setImmediate(() => reply.destroy()))
  }

/** What a feed gives when each of its connections is answered by the next script. */
async function fed(scripts: Script[], options: FeedOptions = {}): Promise<{ events: FeedEvent[]; asked: number[] }> {
  const asked: number[] = []
  const { url } = await fakeServer((request, reply) => {
    asked.push(Number(new URL(request.url, 'http://x').searchParams.get('last_seq')))
    return scripts[asked.length - 1]!(reply, asked.at(-1)!)
  })
  const events: FeedEvent[] = []
  for await (const event of feed(createConnection({ server: url }), 'c1', options)) events.push(event)
  return { events, asked }
}

const seqs = (events: FeedEvent[]) => events.flatMap((event) => (event.type === 'frame' ? [event.frame.seq] : []))
const kinds = (events: FeedEvent[]) => events.map(({ type }) => type).filter((type) => type !== 'frame')

it('goes on after the last frame when a connection breaks, and passes none on twice', async () => {
  const { events, asked } = await fed([
    breakAfter(open(1), text(1), text(2)),
    breakAfter(open(3)),
    send(open(2), text(2), text(3), done(4), end('run_complete')),
  ])
  expect(seqs(events)).toEqual([1, 2, 3, 4])
  expect(asked).toEqual([0, 2, 2])
  expect(kinds(events)).toEqual(['attached', 'lost', 'attached', 'lost', 'attached', 'ended'])
})

it('tells that frames are gone when the run ended while nobody could be reached', async () => {
  const { events } = await fed([breakAfter(open(1), text(1)), send(open(9, false), end('no_active_run'))])
  expect(kinds(events)).toEqual(['attached', 'lost', 'attached', 'gap', 'ended'])
  expect(events.find(({ type }) => type === 'gap')).toEqual({ type: 'gap', over: true })
})

it('has nothing to tell when it had everything before', async () => {
  const { events } = await fed([breakAfter(open(1), text(1), text(2)), send(open(3, false), end('no_active_run'))])
  expect(kinds(events)).toEqual(['attached', 'lost', 'attached', 'ended'])
})

it('takes what is left of a run that outgrew what is held', async () => {
  const { events, asked } = await fed([
    breakAfter(open(1), text(1)),
    send(open(8), { type: 'stream.reset', reason: 'replay_truncated' }, end('replay_truncated')),
    send(open(8), { type: 'stream.reset', reason: 'replay_truncated' }, text(8), done(9), end('run_complete')),
  ])
  expect(seqs(events)).toEqual([1, 8, 9])
  expect(asked).toEqual([0, 1, 0])
  expect(kinds(events)).toContain('gap')
})

it('waits out a server that is stopping or busy', async () => {
  const { events } = await fed([
    send(open(1), text(1), end('stream_closed')),
    (reply) => json(reply, { type: 'about:blank', title: 'Later', status: 503, code: 'unavailable' }, 503),
    send(open(2), done(2), end('run_complete')),
  ])
  expect(seqs(events)).toEqual([1, 2])
})

it('stays for the next runs when it follows', async () => {
  const stop = new AbortController()
  const { events, asked } = await fed(
    [
      send(open(1), done(1), end('idle_timeout')),
      (reply) => {
        send(open(2, false), done(2))(reply)
        stop.abort()
      },
    ],
    { follow: true, signal: stop.signal },
  )
  expect(asked).toEqual([0, 1])
  expect(kinds(events)).not.toContain('ended')
})

it('throws what the server refuses', async () => {
  const refused = fed([(reply) => json(reply, { type: 'about:blank', title: 'No such chat', status: 404, code: 'not_found' }, 404)])
  await expect(refused).rejects.toMatchObject({ problem: { code: 'not_found' } })
})

it('gives up when its patience is over', async () => {
  const away = feed(createConnection({ server: 'http://127.0.0.1:1' }), 'c1', { patience: 0 })
  expect((await away.next()).value).toMatchObject({ type: 'lost' })
  await expect(away.next()).rejects.toMatchObject({ reason: 'ECONNREFUSED' })
})
