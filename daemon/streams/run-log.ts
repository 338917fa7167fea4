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
  /** Its stored frames. */
  past: readonly LogFrame[]
  /** Number of the last live frame that `past` covers; null when it covers all buffered ones. */
  after: number | null
  /** Continue until the run is over. */
  follow: boolean
  /** Whether the caller may still watch. */
  allowed(): boolean
}

/** Serves the log of a run: stored frames, then buffered ones, then live ones. */
export function serveRunLog(app: App, runs: Runs, { reply }: Web, order: LogOrder): void {
  const { run } = order
  let last = 0
  // The prompt of the current program is part of the stored frames.
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
    // The program that continues after a question gets a new prompt.
    if (frame.type === 'done') skipAsked = false
    if (frame.type === 'user_message' && skipAsked) return
    if (!lines.write(`${frame.body.slice(0, -1)},"seq":${frame.seq}}`)) finish('slow_consumer')
  }
  // Registered after the runs' own listeners, so the run's last frames have been sent.
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
