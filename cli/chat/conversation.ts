import type { Client, Connection } from '#client'
import type { Delivery, RunFrame } from '#contract/frames'
import { patiently } from '../patiently.ts'
import { type Collided, collisionsOf } from './collided.ts'
import { feed } from './feed.ts'
import { sendOnce, steerOnce } from './send-once.ts'
import { deliveryOf, messagesOf, replyOf, runOf, type Said, untold } from './stored.ts'
import { Turn, type TurnEvent } from './turn.ts'

const patience = 60_000

/** Events of a conversation, for its display. */
export interface Listener {
  /** A turn began, by whomever; null when it is over. */
  turn(turn: Turn | null): void
  see(event: TurnEvent): void
  /** Something was said elsewhere, or was queued before and has its turn now. */
  heard(text: string, messageId: string): void
  /** What became of something that was said while the agent worked. */
  delivery(messageId: string, delivery: Delivery): void
  connected(yes: boolean): void
  /** Something was said while nobody could be reached. */
  missed(): void
  /** The chat is gone, or may not be entered any more. */
  failed(error: unknown): void
}

/** One chat with an agent: sends what a person says, and follows what comes of it, by whomever it was started. */
export class Conversation {
  chatId: string | null
  turn: Turn | null = null
  private readonly api: Client
  private readonly connection: Connection
  private readonly agentId: string
  private readonly listener: Listener
  private readonly stop = new AbortController()
  /** Messages that are on the screen already, or must not be shown. */
  private readonly shown = new Set<string>()
  /** Messages whose answer is on the screen. */
  private readonly answered = new Set<string>()
  /** Frames up to the end of the run are of one that is on the screen already. */
  private skipping = false
  private sending: Promise<unknown> = Promise.resolve()
  private entered: Promise<void> | null = null
  private onEntry: () => Promise<void> = async () => undefined
  private runId: string | null = null

  constructor(api: Client, connection: Connection, agentId: string, chatId: string | null, listener: Listener) {
    this.api = api
    this.connection = connection
    this.agentId = agentId
    this.chatId = chatId
    this.listener = listener
  }

  /** Goes on with the chat; `tell` is given its last messages, before anything that comes. */
  async enter(count: number, tell: (messages: Said[], collided: Collided[]) => void): Promise<void> {
    this.onEntry = async () => {
      const messages = await messagesOf(this.api, this.chatId!, Math.max(count, 20))
      this.note(messages)
      tell(messages.slice(-count), await this.collisions())
    }
    if (this.chatId) await this.follow()
  }

  /**
   * Sends a message; creates the chat first if there is none. Throws when the server refuses it. In a group chat an
   * agent answers only when it is mentioned.
   */
  async say(text: string): Promise<{ answered: boolean }> {
    const sent = this.send(text)
    this.sending = sent.catch(() => undefined).then(() => undefined)
    return { answered: (await sent) !== null }
  }

  /** The agent is at work, as far as is known. */
  get busy(): boolean {
    return this.turn !== null || this.runId !== null
  }

  /**
   * Says something while the agent is at work, which is told after its current step, or in a turn after this one where
   * it is to `begin` one. `begun`: the turn had just ended, and this one begins.
   */
  async steer(text: string, begin: boolean): Promise<{ id: string; begun: boolean; delivery: Delivery }> {
    const steering = steerOnce(this.api, this.chatId!, text, begin)
    this.sending = steering.catch(() => undefined)
    const { message_id, run_id, delivery } = await steering
    if (run_id) {
      this.shown.add(message_id)
      this.runId = run_id
    }
    return { id: message_id, begun: run_id !== null, delivery }
  }

  /** The last messages of the chat. */
  async messages(count: number): Promise<Said[]> {
    return this.chatId ? messagesOf(this.api, this.chatId, count) : []
  }

  /** The last collisions of runs of the chat, oldest first. */
  async collisions(): Promise<Collided[]> {
    return this.chatId ? collisionsOf(this.api, this.chatId) : []
  }

  async cancel(): Promise<void> {
    await this.sending
    if (this.chatId) await this.api.chats.cancel({ chatId: this.chatId })
  }

  close(): void {
    this.stop.abort()
  }

  private async send(text: string): Promise<string | null> {
    this.chatId ??= (await this.api.chats.create({ agentId: this.agentId, body: { origin: 'CLI' } })).id
    // The stream must be open before the run starts.
    await this.follow()
    const { message_id, run_id } = await sendOnce(this.api, this.chatId, { content: text })
    this.shown.add(message_id)
    this.runId = run_id
    return run_id
  }

  /** Resolves once the stream is open, or cannot be opened at the moment. */
  private follow(): Promise<void> {
    this.entered ??= new Promise((resolve) => {
      this.read(resolve)
        .catch((error: unknown) => {
          if (!this.stop.signal.aborted) this.listener.failed(error)
        })
        .finally(resolve)
    })
    return this.entered
  }

  private async read(entered: () => void): Promise<void> {
    for await (const event of feed(this.connection, this.chatId!, { signal: this.stop.signal })) {
      if (this.stop.signal.aborted) return
      if (event.type === 'lost') this.listener.connected(false)
      else if (event.type === 'attached') {
        this.listener.connected(true)
        if (event.again) await this.catchUp()
        else await this.onEntry()
      } else if (event.type === 'delegated' || event.type === 'collision') this.listener.see(event)
      else if (event.type === 'steering') this.listener.delivery(event.id, event.delivery)
      else if (event.type === 'gap') await this.gap(event.over)
      else await this.frame(event.frame, event.late)
      entered()
    }
  }

  /** Nobody repeats what became of messages while the connection was lost. */
  private async catchUp(): Promise<void> {
    for (const it of await messagesOf(this.api, this.chatId!, 20)) this.listener.delivery(it.id, deliveryOf(it))
  }

  /** Skips the frames of these messages. */
  private note(messages: readonly Said[]): void {
    let open: string | null = null
    for (const message of messages) {
      this.shown.add(message.id)
      if (message.role === 'user') open = message.id
      else if (open) this.answered.add(open)
    }
  }

  private async frame(frame: RunFrame, late: boolean): Promise<void> {
    if (frame.type === 'run_begin') {
      // A run that waited for its place when the daemon was restarted begins its frames anew.
      this.skipping = false
      return
    }
    if (frame.type === 'user_message') {
      // Whether it is our own is known once the server has answered.
      await this.sending
      const id = String(frame.metadata['message_id'] ?? '')
      this.skipping = this.answered.has(id)
      if (!this.shown.has(id)) this.listener.heard(frame.content, id)
      this.shown.add(id)
    }
    if (this.skipping) {
      if (frame.type === 'done') this.skipping = false
      return
    }
    const turn = this.begin()
    for (const event of turn.take(frame, late)) if (event.type !== 'user') this.listener.see(event)
    if (!turn.done) return
    if (turn.incomplete) await this.complete(turn)
    this.end()
  }

  private begin(): Turn {
    if (!this.turn) {
      this.turn = new Turn()
      this.listener.turn(this.turn)
    }
    return this.turn
  }

  private end(): void {
    this.turn = null
    this.runId = null
    this.listener.turn(null)
    // Other viewers of the chat see it, too.
    if (this.chatId) this.api.chats.read({ agentId: this.agentId, chatId: this.chatId }).catch(() => undefined)
  }

  private async gap(over: boolean): Promise<void> {
    if (!this.turn) {
      this.skipping = over
      return this.listener.missed()
    }
    this.turn.incomplete = true
    if (!over) return
    await this.complete(this.turn)
    this.skipping = true
    this.end()
  }

  /** Shows the part of the agent's answer that was missed. */
  private async complete(turn: Turn): Promise<void> {
    const runId = turn.runId ?? this.runId
    const last = async () => (await messagesOf(this.api, this.chatId!, 20)).findLast((it) => runOf(it) !== null) ?? null
    const reply = await patiently(() => (runId ? replyOf(this.api, this.chatId!, runId) : last()), patience)
    const text = reply?.role === 'assistant' ? untold(turn.text, reply.content) : ''
    if (text) this.listener.see({ type: 'text', text, fresh: false })
    if (!turn.done) this.listener.see({ type: 'done' })
  }
}
