import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createConnection } from '#client'
import { type FeedEvent, feed } from '../../../cli/chat/feed.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

type Script = (reply: ServerResponse) => unknown

const open = (from_seq: number, active = true) => ({ type: 'stream.open', chat_id: 'c1', from_seq, active })
const text = (seq: number) => ({ type: 'text', content: `${seq} `, seq })
const done = (seq: number) => ({ type: 'done', content: '', metadata: { trace_id: 'r1' }, seq })
const end = (reason: string) => ({ type: 'stream.end', reason, last_seq: 0 })
const truncated = { type: 'stream.reset', reason: 'replay_truncated' }

const send =
  (...frames: object[]): Script =>
  (reply) => {
    reply.writeHead(200, { 'content-type': 'application/x-ndjson' })
    reply.end(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''))
  }
/** As a daemon that is killed: in the middle of a line. */
const breakAfter =
  (...frames: object[]): Script =>
  (reply) => {
    reply.writeHead(200, { 'content-type': 'application/x-ndjson' })
    reply.write(`${frames.map((frame) => `${JSON.stringify(frame)}\n`).join('')}{"type":"text","cont`, () =>
      setImmediate(() => reply.destroy()),
    )
  }

/** What a feed gives when each of its connections is answered by the next script; it is left when there is none. */
async function fed(...scripts: Script[]): Promise<{ events: FeedEvent[]; asked: string[] }> {
  const asked: string[] = []
  const leave = new AbortController()
  const { url } = await fakeServer((request, reply) => {
    const script = scripts[asked.length]
    if (!script) return leave.abort()
    const query = new URL(request.url, 'http://x').searchParams
    asked.push(`${query.get('last_seq')}${query.get('follow') === 'true' ? '' : ' held'}`)
    return script(reply)
  })
  const events: FeedEvent[] = []
  for await (const event of feed(createConnection({ server: url }), 'c1', { signal: leave.signal })) events.push(event)
  return { events, asked }
}

const seqs = (events: FeedEvent[]) => events.flatMap((event) => (event.type === 'frame' ? [event.frame.seq] : []))
const kinds = (events: FeedEvent[]) => events.map(({ type }) => type).filter((type) => type !== 'frame')

it('goes on after the last frame when a connection breaks, and passes none on twice', async () => {
  const { events, asked } = await fed(
    breakAfter(open(1), text(1), text(2)),
    breakAfter(open(3)),
    send(open(2), text(2), text(3), done(4), end('run_complete')),
    send(open(5, false), text(5), done(6), end('idle_timeout')),
  )
  expect(seqs(events)).toEqual([1, 2, 3, 4, 5, 6])
  expect(asked).toEqual(['0', '2 held', '2 held', '4'])
  expect(kinds(events)).toEqual(['attached', 'lost', 'attached', 'lost', 'attached', 'attached'])
})

it('takes what is held of a run that ended meanwhile', async () => {
  const { events } = await fed(
    breakAfter(open(1), text(1)),
    send(open(4, false), text(2), done(3), end('run_complete')),
  )
  expect(seqs(events)).toEqual([1, 2, 3])
  expect(kinds(events)).toEqual(['attached', 'lost', 'attached'])
})

it('tells that frames are gone when nothing is held of a run that ended meanwhile', async () => {
  const { events } = await fed(breakAfter(open(1), text(1)), send(open(9, false), end('no_active_run')))
  expect(kinds(events)).toEqual(['attached', 'lost', 'attached', 'gap'])
  expect(events.at(-1)).toEqual({ type: 'gap', over: true })
})

it('knows in a new chat of the frames that it did not get', async () => {
  const { events, asked } = await fed(
    breakAfter(open(1, false)),
    send(open(4, false), text(2), done(3), end('run_complete')),
  )
  expect(asked).toEqual(['0', '1 held'])
  expect(seqs(events)).toEqual([2, 3])
})

it('has nothing to tell when it had everything before', async () => {
  const { events } = await fed(breakAfter(open(1), text(1), text(2)), send(open(3, false), end('no_active_run')))
  expect(kinds(events)).toEqual(['attached', 'lost', 'attached'])
})

it('takes what is left of a run that outgrew what is held', async () => {
  const { events, asked } = await fed(
    breakAfter(open(1), text(1)),
    send(open(8), truncated, end('replay_truncated')),
    send(open(8), truncated, text(8), done(9), end('run_complete')),
  )
  expect(seqs(events)).toEqual([1, 8, 9])
  expect(asked).toEqual(['0', '1 held', '0 held'])
  expect(events).toContainEqual({ type: 'gap', over: false })
})

it('waits out a server that is stopping or busy', async () => {
  const { events } = await fed(
    send(open(1), text(1), end('stream_closed')),
    (reply) => json(reply, { type: 'about:blank', title: 'Later', status: 503, code: 'unavailable' }, 503),
    send(open(2), done(2), end('run_complete')),
  )
  expect(seqs(events)).toEqual([1, 2])
})

it('throws what the server refuses', async () => {
  const refused = fed((reply) =>
    json(reply, { type: 'about:blank', title: 'No such chat', status: 404, code: 'not_found' }, 404),
  )
  await expect(refused).rejects.toMatchObject({ problem: { code: 'not_found' } })
})

it('gives up when its patience is over', async () => {
  const away = feed(createConnection({ server: 'http://127.0.0.1:1' }), 'c1', { patience: 0 })
  expect((await away.next()).value).toMatchObject({ type: 'lost' })
  await expect(away.next()).rejects.toMatchObject({ reason: 'ECONNREFUSED' })
})

it('passes on what collides, which has no number', async () => {
  const collision = { type: 'stream.collision', id: 'x', summary: 'Ada and Bo both wrote "a"' }
  const { events } = await fed(send(open(1), text(1), collision, done(2), end('idle_timeout')))
  expect(events).toContainEqual({ type: 'collision', summary: collision.summary })
  expect(seqs(events)).toEqual([1, 2])
})
