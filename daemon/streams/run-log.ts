import type { LogFrame, StreamEnd } from '#contract/frames'
import type { App } from '#kernel/app'
import type { Web } from '#kernel/feature'
import type { Recorded } from '#kernel/journal/journal'
import type { LiveFrame, Runs } from '#kernel/runs'
import { openLines } from './line-stream.ts'

const terminals = new Set<string>(['run.completed', 'run.failed', 'run.cancelled', 'run.timeout'])

export interface LogOrder {
  run: { id: string; chat_id: string | null; stream: string }
  status: string
  /** The run is not over. */
  open: boolean
  /** What was kept of it. */
  past: readonly LogFrame[]
  /** Number of the last frame that the past tells of; null when it tells of all that is held. */
  after: number | null
  /** Stay until the run is over. */
  follow: boolean
  /** Whether the caller may still watch. */
  allowed(): boolean
}

/** Serves what a run did and said: what was kept, then what is held and what comes of it live. */
export function serveRunLog(app: App, runs: Runs, { reply }: Web, order: LogOrder): void {
  const { run } = order
  let last = 0
  // What the program at work was asked is part of the past.
  let skipAsked = order.after !== null
  const finish = (reason: StreamEnd) => {
    const reset = reason === 'slow_consumer' ? [{ type: 'stream.reset', reason } as const] : []
    lines.end([...reset, { type: 'stream.end', reason, last_seq: last }])
  }
  const lines = openLines(app, { reply, allowed: order.allowed }, finish, () => {
    watch?.close()
    app.bus.off('entry', onEntry)
  })
  const say = (frame: LogFrame) => {
    if (!lines.over && !lines.write(JSON.stringify(frame))) finish('slow_consumer')
  }
  const pass = (frame: LiveFrame) => {
    if (lines.over) return
    last = frame.seq
    // A program that goes on after a question is asked something new.
    if (frame.type === 'done') skipAsked = false
    if (frame.type === 'user_message' && skipAsked) return
    if (!lines.write(`${frame.body.slice(0, -1)},"seq":${frame.seq}}`)) finish('slow_consumer')
  }
  // Listens after those who carry runs out, so what tells of the end has passed.
  function onEntry({ entry }: Recorded): void {
    if (entry.trace_id === run.id && terminals.has(entry.entry_type)) finish('run_complete')
  }
  app.bus.on('entry', onEntry)
  const watch = order.open
    ? runs.watch(run.stream, order.after, { frame: pass, closed: () => finish('stream_closed') })
    : null

  const active = watch?.active ?? false
  say({ type: 'stream.open', run_id: run.id, chat_id: run.chat_id, status: order.status, active })
  for (const frame of order.past) say(frame)
  if (watch?.truncated) say({ type: 'stream.reset', reason: 'replay_truncated' })
  for (const frame of watch?.replay ?? []) pass(frame)
  if (app.stopping.signal.aborted) finish('stream_closed')
  else if (!order.open) finish('run_complete')
  else if (!order.follow) finish('not_followed')
}
