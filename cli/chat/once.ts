import { setTimeout as pause } from 'node:timers/promises'
import type { Static } from 'typebox'
import type { Client, Connection } from '#client'
import type { RunFrame } from '#contract/frames'
import type { Run } from '#contract/runs'
import { feed } from './feed.ts'
import { patiently, replyOf, untold } from './stored.ts'
import { Turn, type TurnEvent } from './turn.ts'

/** What `muster ask --json` answers. */
export interface Answer {
  chat_id: string
  run_id: string
  status: Static<typeof Run>['status']
  text: string
  tool_calls: { name: string; input: unknown; status: string; duration_ms: number | null }[]
  /** Null when the agent's client told none, or nobody was there to hear it. */
  usage: { input_tokens: number; output_tokens: number } | null
  cost: number | null
  duration_ms: number | null
  error: string | null
  /** Kind of the failure, as `bad_key`; null when there was none. */
  reason: string | null
}

export interface Sent {
  chatId: string
  runId: string
  messageId: string
}

export interface Watching {
  see(event: TurnEvent): void
  /** Every frame of the run as it came. */
  frame?(frame: RunFrame): void
  lost?(error: Error): void
  back?(): void
}

/** How long a server may be away, in milliseconds. */
const patience = 120_000
const lookAgainMs = 300

/** Watches one run until it has ended, whatever happens to the connection. */
export async function watchRun(api: Client, connection: Connection, sent: Sent, watching: Watching): Promise<Answer> {
  const watch = new RunWatch(connection, sent, watching)
  const show = () => patiently(() => api.runs.show({ runId: sent.runId }), patience)
  await watch.toEnd()
  let run = await show()
  // A daemon that has just started may not have found the run again.
  while (run.status === 'RUNNING') {
    await pause(lookAgainMs)
    await watch.toEnd()
    run = await show()
  }
  const { turn } = watch
  if (!turn.done || turn.incomplete) await complete(api, turn, sent, watching)
  return answerOf(turn, run, sent)
}

class RunWatch {
  readonly turn = new Turn()
  private last = 0
  /** What is held of a chat may begin with the run before. */
  private ours = false
  private readonly connection: Connection
  private readonly sent: Sent
  private readonly watching: Watching

  constructor(connection: Connection, sent: Sent, watching: Watching) {
    this.connection = connection
    this.sent = sent
    this.watching = watching
  }

  async toEnd(): Promise<void> {
    if (this.turn.done) return
    for await (const event of feed(this.connection, this.sent.chatId, { after: this.last, patience })) {
      if (event.type === 'frame') this.take(event.frame, event.late)
      else if (event.type === 'lost') this.watching.lost?.(event.error)
      else if (event.type === 'attached' && event.again) this.watching.back?.()
      else if (event.type === 'gap') {
        this.ours = true
        this.turn.incomplete = true
      }
      if (this.turn.done) return
    }
  }

  private take(frame: RunFrame, late: boolean): void {
    const { messageId, runId } = this.sent
    this.last = frame.seq
    if (frame.type === 'user_message' && frame.metadata['message_id'] === messageId) this.ours = true
    if (!this.ours) return
    // Frames were lost, and what follows them belongs to a run before.
    if (frame.type === 'done' && (frame.metadata?.trace_id ?? runId) !== runId) return
    this.watching.frame?.(frame)
    for (const event of this.turn.take(frame, late)) this.watching.see(event)
  }
}

/** Tells what was missed, from what is stored. */
async function complete(api: Client, turn: Turn, { chatId, runId }: Sent, { see }: Watching): Promise<void> {
  const reply = await patiently(() => replyOf(api, chatId, runId), patience)
  if (reply?.role !== 'assistant') return
  const text = untold(turn.text, reply.content)
  turn.text = reply.content
  if (text) see({ type: 'text', text, fresh: false })
}

function answerOf({ text, tools, result, error }: Turn, run: Static<typeof Run>, { chatId, runId }: Sent): Answer {
  return {
    chat_id: chatId,
    run_id: runId,
    status: run.status,
    text,
    tool_calls: [...tools.values()].map(({ name, input, status, duration_ms }) => ({ name, input, status, duration_ms })),
    usage: result?.usage ?? null,
    cost: result?.total_cost_usd ?? null,
    duration_ms: result?.duration_ms ?? (run.finished_at ? Date.parse(run.finished_at) - Date.parse(run.started_at) : null),
    error: run.error_message ?? error?.text ?? null,
    reason: error?.reason ?? null,
  }
}
