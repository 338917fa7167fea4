import type { Static } from 'typebox'
import type { RoomMessage } from '#contract/rooms'
import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { type MessageRow, type NamedRow, queries } from './queries.ts'

export type { MessageRow, NamedRow } from './queries.ts'

type Optional = 'client_id' | 'run_id' | 'question' | 'parts_json'
type NewMessage = Pick<MessageRow, 'kind' | 'author_type' | 'author_id' | 'content'> &
  Partial<Pick<MessageRow, Optional>>

const none = { client_id: null, run_id: null, question: null, parts_json: null }

/** Stores a message at the end of a room and tells its members. */
export function say(app: App, room: string, message: NewMessage): NamedRow {
  const at = new Date(app.clock()).toISOString()
  const { last_seq: seq } = queries(app.db).count.get({ room, at })!
  const id = newId(app.clock())
  queries(app.db).insert.run({ ...none, ...message, room_id: room, seq, id, created_at: at })
  const row = queries(app.db).find.get(id)!
  app.broadcast({ channel: `room:${room}`, type: 'room.message', payload: toMessage(row) })
  return row
}

/** Says something to a room in the name of nobody. */
export const notify = (app: App, room: string, content: string): void =>
  void say(app, room, { kind: 'notice', author_type: 'system', author_id: null, content })

export const messageById = ({ db }: App, id: string): NamedRow | undefined => queries(db).find.get(id)

/** The message that a person sent with this id before. */
export const repeated = ({ db }: App, room: string, user: string, client: string): NamedRow | undefined =>
  queries(db).repeated.get(room, user, client)

/** The last messages of a room, oldest first, without notices. */
export const lastSaid = ({ db }: App, room: string, limit: number): NamedRow[] =>
  queries(db).said.all(room, limit).reverse()

/** What was said in a run, oldest first. */
export const saidIn = ({ db }: App, run: string): MessageRow[] => queries(db).ofRun.all(run)

/** Messages before one, or the last ones; oldest first. */
export function windowBefore(
  { db }: App,
  room: string,
  before: number | undefined,
  limit: number,
): { messages: Static<typeof RoomMessage>[]; has_more: boolean } {
  const rows = queries(db).before.all(room, before ?? Number.MAX_SAFE_INTEGER, limit + 1)
  return { messages: rows.slice(0, limit).reverse().map(toMessage), has_more: rows.length > limit }
}

export const toMessage = (row: NamedRow): Static<typeof RoomMessage> => {
  const { id, room_id, seq, author_type, author_id, author_name, kind, content, created_at } = row
  return { id, conversation_id: room_id, seq, author_type, author_id, author_name, kind, content, created_at }
}
