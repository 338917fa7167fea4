import { type chatPeople, reactionsOfPerson } from '#contract/chat-people'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { enterChat } from '../service.ts'
import { queries } from './queries.ts'
import { isEmoji } from './rules.ts'

interface Place {
  chatId: string
  messageId: string
}

export function listReactions(
  app: App,
  { actor, ...place }: Call<typeof chatPeople.reactions>,
): Reply<typeof chatPeople.reactions> {
  enterMessage(app, actor, place)
  const rows = queries(app.db).list.all({ message: place.messageId, user: actor.id })
  return { reactions: rows.map((row) => ({ ...row, mine: row.mine === 1 })) }
}

export function react(app: App, { actor, body, now, ...place }: Call<typeof chatPeople.react>): undefined {
  const { chatId, messageId } = place
  enterMessage(app, actor, place)
  const { emoji } = body
  if (!isEmoji(emoji)) throw problem('invalid_field', { field: 'emoji', detail: 'emoji must be 1 to 8 emoji' })
  const made = queries(app.db).insert.get({ chat: chatId, message: messageId, emoji, user: actor.id, now })
  if (!made) return
  if (queries(app.db).ofPerson.get(messageId, actor.id)!.count > reactionsOfPerson)
    throw problem('invalid_field', {
      field: 'emoji',
      detail: `Nobody reacts to a message with more than ${reactionsOfPerson} emoji`,
    })
  tell(app, place, 'reaction_added', emoji, actor)
}

export function unreact(app: App, { actor, emoji, ...place }: Call<typeof chatPeople.unreact>): undefined {
  enterMessage(app, actor, place)
  if (queries(app.db).remove.get({ message: place.messageId, emoji, user: actor.id }))
    tell(app, place, 'reaction_removed', emoji, actor)
}

function enterMessage(app: App, actor: Actor, { chatId, messageId }: Place): void {
  if (!enterChat(app, actor, chatId)) throw problem('not_found', { detail: 'There is no such chat' })
  if (!queries(app.db).message.get(chatId, messageId))
    throw problem('not_found', { detail: 'There is no such message in the chat' })
}

const tell = (app: App, { chatId, messageId }: Place, type: string, emoji: string, { id }: Actor): void =>
  app.broadcast({
    channel: `session:${chatId}`,
    type,
    payload: { chat_id: chatId, message_id: messageId, emoji, user_id: id },
  })
