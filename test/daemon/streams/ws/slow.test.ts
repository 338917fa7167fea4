import { expect, it } from 'vitest'
import type { LiveFrame, Runs, Watcher } from '#kernel/runs'
import { ChatFeed } from '../../../../daemon/streams/ws/feed.ts'
import { Outbox } from '../../../../daemon/streams/ws/outbox.ts'

const mebibyte = 1024 * 1024

/** A client that takes nothing: what is sent to it stays. */
function lazy() {
  const sent: (string | Buffer)[] = []
  const socket = {
    OPEN: 1,
    readyState: 1,
    get bufferedAmount() {
      return sent.reduce((sum, it) => sum + it.length, 0)
    },
    send: (frame: string | Buffer) => void sent.push(frame),
  }
  const outbox = new Outbox(socket as never, { more: () => undefined, tooSlow: () => undefined })
  return { sent, outbox }
}

it('keeps one large frame for a client that takes nothing, not 64', () => {
  const { sent, outbox } = lazy()
  for (let n = 0; n < 64; n++) outbox.send('x'.repeat(mebibyte))
  expect(sent.length).toBe(1)
  expect(outbox.roomy).toBe(false)
})

it('keeps up to 1 MiB of small frames', () => {
  const { sent, outbox } = lazy()
  for (let n = 0; n < 64; n++) outbox.send('x'.repeat(64 * 1024))
  expect(sent.length).toBe(16)
})

it('lets all clients wait for the same bytes of a run', () => {
  const watchers: Watcher[] = []
  const watch = (_: string, __: number | null, watcher: Watcher) => {
    watchers.push(watcher)
    return { active: true, lastSeq: 0, replay: [], truncated: false, close: () => undefined }
  }
  const clients = [lazy(), lazy()]
  for (const { outbox } of clients)
    new ChatFeed({ watch } as Partial<Runs> as Runs, 'chat', outbox, () => undefined).subscribe()
  const frame: LiveFrame = { seq: 7, type: 'text', body: '{"type":"text"}' }
  for (const watcher of watchers) watcher.frame(frame)
  const [one, other] = clients.map(({ sent }) => sent[0])
  expect(String(one)).toBe('{"type":"chat_event","channel":"session:chat","payload":{"type":"text"},"seq":7}')
  expect(other).toBe(one)
  expect(Buffer.isBuffer(one)).toBe(true)
})
