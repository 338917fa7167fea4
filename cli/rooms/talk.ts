import { randomUUID } from 'node:crypto'
import type { Client, Connection } from '#client'
import { news } from '../inbox/news.ts'
import { messagesBefore, type RoomWords } from './past.ts'

/** Events of a room, for its display. */
export interface TalkListener {
  /** Messages of others, and notices, in their order. */
  heard(messages: readonly RoomWords[]): void
  /** The agent has begun to work, or is done. */
  working(runId: string | null): void
  connected(yes: boolean): void
}

/** Messages that are shown when a room is entered; more may have been missed while the connection was lost. */
const recalled = 10
const missed = 500

/** One room: sends what a person says once, and follows what others say. */
export class Talk {
  private readonly api: Client
  private readonly connection: Connection
  private readonly conversationId: string
  private readonly listener: TalkListener
  /** Number of the newest message that was handed on. */
  private last = -1
  private readonly own = new Set<string>()
  private sending: Promise<unknown> = Promise.resolve()
  /** What could not be sent: the same text again is the same message. */
  private unsent: { text: string; client_id: string } | null = null

  constructor(api: Client, connection: Connection, conversationId: string, listener: TalkListener) {
    this.api = api
    this.connection = connection
    this.conversationId = conversationId
    this.listener = listener
  }

  /** Follows the room until the signal; throws when the room is gone, or for members alone of whom this is none. */
  async follow(signal: AbortSignal): Promise<void> {
    for await (const event of news(this.connection, `room:${this.conversationId}`, { signal })) {
      if (event.type === 'lost') this.listener.connected(false)
      else if (event.type === 'connected') {
        this.listener.connected(true)
        await this.catchUp()
      } else if (event.name === 'room.message') await this.take(event.payload as unknown as RoomWords)
      else if (event.name === 'room.updated') this.listener.working((event.payload['run_id'] as string) ?? null)
    }
  }

  /** Says something; throws when the server refuses it or cannot be reached. */
  async say(text: string): Promise<void> {
    const client_id = this.unsent?.text === text ? this.unsent.client_id : randomUUID()
    this.unsent = { text, client_id }
    const sent = this.api.rooms.send({ conversationId: this.conversationId, body: { content: text, client_id } })
    this.sending = sent.catch(() => undefined)
    this.own.add((await sent).id)
    this.unsent = null
  }

  history = (limit: number): Promise<RoomWords[]> => messagesBefore(this.api, this.conversationId, { limit })

  /** Asks for what was said before, and since the connection was lost. */
  private async catchUp(): Promise<void> {
    const first = this.last < 0
    const { run_id } = await this.api.rooms.show({ conversationId: this.conversationId })
    const messages = await this.history(first ? recalled : missed)
    await this.sending
    this.tell(messages.filter(({ seq }) => seq > this.last))
    this.last = Math.max(this.last, 0)
    this.listener.working(run_id)
  }

  private async take(message: RoomWords): Promise<void> {
    // Whether it is one's own is known once the server has answered.
    await this.sending
    if (message.seq === this.last + 1) this.tell([message])
    else if (message.seq > this.last) await this.catchUp()
  }

  private tell(messages: readonly RoomWords[]): void {
    if (!messages.length) return
    this.last = messages.at(-1)!.seq
    this.listener.heard(messages.filter(({ id }) => !this.own.has(id)))
    // Optional: the room is read anyway.
    this.api.rooms.read({ conversationId: this.conversationId, body: { seq: this.last } }).catch(() => undefined)
  }
}
