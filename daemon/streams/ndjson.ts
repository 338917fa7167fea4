import type { StreamEnd, StreamFrame } from '#contract/frames'
import type { App } from '#kernel/app'
import type { Web } from '#kernel/feature'
import type { LiveFrame, Runs } from '#kernel/runs'
import { LineWriter } from './line-writer.ts'

const heartbeatMs = 20_000
const recheckMs = 30_000
const defaultIdleSeconds = 300

export interface StreamOrder {
  chatId: string
  /** Go on after this number; 0 at a first attach. */
  lastSeq: number
  /** Stay for the next runs. */
  follow: boolean
  /** Seconds without a run after which a following stream ends; 0 takes the default. */
  idle: number
  /** Who watches. */
  user: string
  /** Whether the caller may still watch. */
  allowed(): boolean
}

/** Serves the run stream of a chat (specification part 2, "Conversations and chat extras" 6; contract part 2, 6.3). */
export function serveRunStream(app: App, runs: Runs, { reply }: Web, order: StreamOrder): void {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  const lines = new LineWriter(reply.raw)
  let last = order.lastSeq
  let over = false
  let idle: NodeJS.Timeout | undefined

  const say = (frame: StreamFrame) => lines.write(JSON.stringify(frame))
  const finish = (reason: StreamEnd) => {
    if (over) return
    cleanUp()
    const reset = reason === 'slow_consumer' ? [{ type: 'stream.reset', reason } as const] : []
    lines.end([...reset, { type: 'stream.end', reason, last_seq: last }] satisfies StreamFrame[])
  }
  const waitForRun = () => {
    clearTimeout(idle)
    idle = setTimeout(() => finish('idle_timeout'), (order.idle || defaultIdleSeconds) * 1000)
  }
  const pass = (frame: LiveFrame) => {
    if (over) return
    if (!lines.write(`${frame.body.slice(0, -1)},"seq":${frame.seq}}`)) return finish('slow_consumer')
    last = frame.seq
    clearTimeout(idle)
    if (frame.type !== 'done') return
    if (order.follow) waitForRun()
    else finish('run_complete')
  }
  const stop = () => finish('stream_closed')
  const recheck = () => {
    if (!order.allowed()) finish('access_revoked')
  }

  const watch = runs.watch(order.chatId, order.lastSeq, { user: order.user, frame: pass, closed: stop })
  const clocks = [setInterval(() => say({ type: 'stream.heartbeat' }), heartbeatMs), setInterval(recheck, recheckMs)]
  app.metrics.openStreams.inc({ kind: 'ndjson' })
  app.bus.on('revoked', recheck)
  app.bus.on('access_lost', recheck)
  app.stopping.signal.addEventListener('abort', stop)
  reply.raw.on('close', cleanUp)
  function cleanUp(): void {
    if (over) return
    over = true
    watch.close()
    for (const clock of clocks) clearInterval(clock)
    clearTimeout(idle)
    app.bus.off('revoked', recheck)
    app.bus.off('access_lost', recheck)
    app.stopping.signal.removeEventListener('abort', stop)
    app.metrics.openStreams.dec({ kind: 'ndjson' })
  }

  const from_seq = (watch.active && watch.replay[0]?.seq) || Math.max(watch.lastSeq, order.lastSeq) + 1
  say({ type: 'stream.open', chat_id: order.chatId, from_seq, active: watch.active })
  if (app.stopping.signal.aborted) return void stop()
  if (watch.truncated) {
    say({ type: 'stream.reset', reason: 'replay_truncated' })
    if (order.lastSeq > 0) return void finish('replay_truncated')
  }
  // Who never saw anything reads a finished run from its messages.
  if (watch.active || order.lastSeq > 0) for (const frame of watch.replay) pass(frame)
  if (over || watch.active) return
  if (order.follow) waitForRun()
  else finish('no_active_run')
}
