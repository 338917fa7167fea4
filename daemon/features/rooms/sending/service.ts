import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { RoomMessage, rooms } from '#contract/rooms'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { isVisible, pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { call as callAgent } from '../answers/service.ts'
import { repeated, say, toMessage, windowBefore } from '../messages/service.ts'
import { checkClientId } from '../openings/rules.ts'
import { enterRoom } from '../service.ts'

type Sending = Call<typeof rooms.send>

export function listMessages(
  app: App,
  { actor, conversationId, query }: Call<typeof rooms.messages>,
): Reply<typeof rooms.messages> {
  enterRoom(app, actor, conversationId)
  const { limit } = pageOf(query, { fallback: 50, max: 200 })
  return windowBefore(app, conversationId, query.before_seq, limit)
}

/** Says something in a room, once however often the request comes. */
export function sendMessage(app: App, sending: Sending): Static<typeof RoomMessage> {
  const { actor, conversationId, body } = sending
  const room = enterRoom(app, actor, conversationId)
  const { content } = body
  if (!isVisible(content)) throw problem('invalid_field', { field: 'content', detail: 'content must not be blank' })
  const client_id = clientIdOf(sending)
  const before = repeated(app, room.id, actor.id, client_id)
  if (before && before.content !== content) throw problem('client_id_taken', { field: 'client_id' })
  if (before) return toMessage(before)
  const message = say(app, room.id, { kind: 'message', author_type: 'user', author_id: actor.id, client_id, content })
  callAgent(app, room, message)
  return toMessage(message)
}

function clientIdOf({ body, web }: Sending): string {
  const header = web?.request.headers['idempotency-key']
  const id = body.client_id ?? (typeof header === 'string' ? header : undefined)
  if (header !== undefined && header !== id)
    throw problem('invalid_field', { field: 'client_id', detail: 'client_id and Idempotency-Key are not the same' })
  if (!id) throw problem('missing_field', { field: 'client_id', detail: 'client_id is missing' })
  return checkClientId(id)
}
