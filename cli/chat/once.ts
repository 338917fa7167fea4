import type { Static } from 'typebox'
import type { Client, Connection } from '#client'
import type { RunFrame } from '#contract/frames'
import type { Run } from '#contract/runs'
import { patiently, runPatience } from '../patiently.ts'
import { feed } from './feed.ts'
import { replyOf, untold } from './stored.ts'
import { Turn, type TurnEvent } from './turn.ts'

/** What `muster ask --json` answers. */
export interface Answer {
  chat_id: string
  run_id: string
  status: Static<typeof Run>['status']
  text: string
  tool_calls: { name: string; input: unknown; status: string; duration_ms: number | null }[]
  /** Null when the agent's client reported none, or the stream missed it. */
  usage: { input_tokens: number; output_tokens: number } | null
  cost: number | null
  duration_ms: number | null
  error: string | null
  /** What the agent waits for, when it has asked a person. */
  inbox_item_id?: string
  /** Kind of the failure, as `bad_key`; null when there was none. */
  reason: string | null
}

export interface Sent {
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

export interface Turning {
  api: Client
  connection: Connection
  chatId: string
  /** Sends the message once the stream is open, so that none of its frames is missed. */
  send(): Promise<Sent>
  watching: Watching
}

/** One turn, from the message to the end of the run, across lost connections. */
export async function takeTurn(turning: Turning): Promise<Answer> {
  const one = new OneTurn(turning)
  const run = await one.toEnd()
  const { turn } = one
  if (!turn.done || turn.incomplete) await complete(turning, turn, run)
  return answerOf(turn, run, turning.chatId)
}

type RunRow = Static<typeof Run>

class OneTurn {
  readonly turn = new Turn()
  private readonly it: Turning
  private sent: Sent | null = null
  /** What is held of a chat may begin with the run before. */
  private ours = false

  constructor(turning: Turning) {
    this.it = turning
  }

  /** Follows until the run is over, and answers it. */
  async toEnd(): Promise<RunRow> {
    const { connection, chatId, watching } = this.it
    for await (const event of feed(connection, chatId, { patience: runPatience })) {
      if (event.type === 'frame') this.take(event.frame, event.late)
      else if (event.type === 'delegated' || event.type === 'collision') watching.see(event)
      else if (event.type === 'lost') watching.lost?.(event.error)
      else if (event.type === 'gap') this.ours = this.turn.incomplete = true
      else if (event.type === 'attached' && event.again) watching.back?.()
      else if (event.type === 'attached') this.sent ??= await this.it.send()
      if (this.turn.done) break
      // Frames are gone and no run goes on: unless the daemon has yet to find it again, the rest is read from what is
      // stored.
      if (event.type === 'gap' && event.over && (await this.show()).status !== 'RUNNING') break
    }
    return this.show()
  }

  private show(): Promise<RunRow> {
    return patiently(() => this.it.api.runs.show({ runId: this.sent!.runId }), runPatience)
  }

  private take(frame: RunFrame, late: boolean): void {
    if (!this.sent) return
    const { messageId, runId } = this.sent
    if (frame.type === 'user_message' && frame.metadata['message_id'] === messageId) this.ours = true
    if (!this.ours) return
    // Frames were lost, and what follows them belongs to a run before.
    if (frame.type === 'done' && (frame.metadata?.trace_id ?? runId) !== runId) return
    this.it.watching.frame?.(frame)
    for (const event of this.turn.take(frame, late)) this.it.watching.see(event)
  }
}

/** Prints the missed part of the answer from the stored messages. */
async function complete({ api, chatId, watching }: Turning, turn: Turn, { id: runId }: RunRow): Promise<void> {
  const reply = await patiently(() => replyOf(api, chatId, runId), runPatience)
  if (reply?.role !== 'assistant') return
  const text = untold(turn.text, reply.content)
  turn.text = reply.content
  if (text) watching.see({ type: 'text', text, fresh: false })
}

function answerOf({ text, tools, result, error, waitsFor }: Turn, run: RunRow, chatId: string): Answer {
  return {
    chat_id: chatId,
    run_id: run.id,
    status: run.status,
    text,
    tool_calls: [...tools.values()].map(({ name, input, status, duration_ms }) => ({
      name,
      input,
      status,
      duration_ms,
    })),
    usage: result?.usage ?? null,
    cost: result?.total_cost_usd ?? null,
    duration_ms:
      result?.duration_ms ?? (run.finished_at ? Date.parse(run.finished_at) - Date.parse(run.started_at) : null),
    ...(waitsFor && { inbox_item_id: waitsFor }),
    error: run.error_message ?? error?.text ?? null,
    reason: error?.reason ?? null,
  }
}
