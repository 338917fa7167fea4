import type { Steering, StreamEnd, StreamFrame } from '#contract/frames'
import type { App, Broadcast } from '#kernel/app'
import type { Web } from '#kernel/feature'
import type { LiveFrame, Runs } from '#kernel/runs'
import { openLines } from './line-stream.ts'

const defaultIdleSeconds = 300

export interface StreamOrder {
  chatId: string
  /** Resume after this frame; 0 for a first attach. */
  lastSeq: number
  /** Continue with later runs. */
  follow: boolean
  /** Seconds without a run after which a following stream ends; 0 for the default. */
  idle: number
  /** The user who watches. */
  user: string
  /** Whether the caller may still watch. */
  allowed(): boolean
}

/** Serves the run stream of a chat (docs/rules/chats.md, "Run stream"). */
export function serveRunStream(app: App, runs: Runs, { reply }: Web, order: StreamOrder): void {
  let last = order.lastSeq
  let idle: NodeJS.Timeout | undefined
  const finish = (reason: StreamEnd) => {
    const reset = reason === 'slow_consumer' ? [{ type: 'stream.reset', reason } as const] : []
    lines.end([...reset, { type: 'stream.end', reason, last_seq: last }])
  }
  const lines = openLines(app, { reply, allowed: order.allowed }, finish, () => {
    watch.close()
    clearTimeout(idle)
    app.bus.off('broadcast', overhear)
  })
  const say = (frame: StreamFrame) => lines.write(JSON.stringify(frame))
  const waitForRun = () => {
    clearTimeout(idle)
    idle = setTimeout(() => finish('idle_timeout'), (order.idle || defaultIdleSeconds) * 1000)
  }
  const pass = (frame: LiveFrame) => {
    if (lines.over) return
    if (!lines.write(`${frame.body.slice(0, -1)},"seq":${frame.seq}}`)) return finish('slow_consumer')
    last = frame.seq
    clearTimeout(idle)
    if (frame.type !== 'done') return
    if (order.follow) waitForRun()
    else finish('run_complete')
  }
  const overhear = ({ channel, type, payload }: Broadcast) => {
    if (channel !== `session:${order.chatId}` || lines.over) return
    const [, event] = /^assignment_(\w+)$/.exec(type) ?? []
    if (event) lines.write(JSON.stringify({ type: 'stream.assignment', event, ...payload }))
    else if (type === 'files.collision') lines.write(JSON.stringify({ type: 'stream.collision', ...payload }))
    if (!type.startsWith('steering_')) return
    const { message_id, delivery } = payload as Omit<Steering, 'type'>
    say({ type: 'stream.steering', message_id, delivery })
  }
  app.bus.on('broadcast', overhear)
  const watch = runs.watch(order.chatId, order.lastSeq, {
    user: order.user,
    frame: pass,
    closed: () => finish('stream_closed'),
  })

  const from_seq = (watch.active && watch.replay[0]?.seq) || Math.max(watch.lastSeq, order.lastSeq) + 1
  say({ type: 'stream.open', chat_id: order.chatId, from_seq, active: watch.active })
  if (app.stopping.signal.aborted) return void finish('stream_closed')
  if (watch.truncated) {
    say({ type: 'stream.reset', reason: 'replay_truncated' })
    if (order.lastSeq > 0) return void finish('replay_truncated')
  }
  // A client that attaches for the first time reads a finished run from its messages.
  if (watch.active || order.lastSeq > 0) for (const frame of watch.replay) pass(frame)
  if (lines.over || watch.active) return
  if (order.follow) waitForRun()
  else finish('no_active_run')
}
