import type { chatPeople } from '#contract/chat-people'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { membershipRow } from '#kernel/auth/membership'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import type { ChatRow } from '../queries.ts'
import { enterChat, settleVisibility } from '../service.ts'
import { queries, type Row } from './queries.ts'

export function listParticipants(
  app: App,
  { actor, chatId }: Call<typeof chatPeople.participants>,
): Reply<typeof chatPeople.participants> {
  if (!enterChat(app, actor, chatId)) throw absent()
  return { participants: queries(app.db).list.all(chatId) }
}

/** The people of a group chat; nobody of a private one. */
export const participantsOf = ({ db }: App, chatId: string): readonly string[] =>
  queries(db)
    .list.all(chatId)
    .map(({ user_id }) => user_id)

/** Adds a member of the workspace, with the chat's creator on the first addition: the chat is a group then. */
export function invite(app: App, { actor, chatId, body, now }: Call<typeof chatPeople.invite>): undefined {
  const chat = managedChat(app, actor, chatId)
  const { user_id: user, role = 'member' } = body
  if (membershipRow(app.db, chat.workspace_id, user)?.workspace_id !== chat.workspace_id)
    throw problem('invalid_field', { field: 'user_id', detail: 'user_id must name a member of the workspace' })
  if (user === chat.created_by) return
  if (chat.created_by && membershipRow(app.db, chat.workspace_id, chat.created_by))
    queries(app.db).add.get({ chat: chatId, user: chat.created_by, role: 'owner', now })
  if (!queries(app.db).add.get({ chat: chatId, user, role, now })) {
    if (body.role) queries(app.db).setRole.run({ chat: chatId, user, role })
    return
  }
  settleVisibility(app, chatId)
  announce(app, actor, chat, 'created', queries(app.db).find.get(chatId, user)!)
}

export function uninvite(app: App, { actor, chatId, userId }: Call<typeof chatPeople.uninvite>): undefined {
  const chat = managedChat(app, actor, chatId)
  if (userId === chat.created_by)
    throw problem('invalid_field', { field: 'userId', detail: 'Who opened the chat cannot be removed from it' })
  const row = queries(app.db).find.get(chatId, userId)
  if (!row) return
  queries(app.db).remove.get(chatId, userId)
  settleVisibility(app, chatId)
  announce(app, actor, chat, 'deleted', row)
}

/** Whoever leaves a workspace leaves its chats. */
export function leaveChats(app: App, workspace: string, user: string): void {
  for (const { id } of queries(app.db).chatsOf.all(user, workspace)) {
    queries(app.db).remove.get(id, user)
    settleVisibility(app, id)
  }
}

/** A chat, for its creator and for ADMINs of its workspace. */
function managedChat(app: App, actor: Actor, chatId: string): ChatRow {
  const entered = enterChat(app, actor, chatId)
  if (!entered) throw absent()
  if (entered.chat.created_by !== actor.id && !allows('ADMIN', entered.role))
    throw problem('insufficient_role', { detail: 'Only who opened the chat or an ADMIN can change who is in it' })
  return entered.chat
}

const absent = () => problem('not_found', { detail: 'There is no such chat' })

function announce(app: App, actor: Actor, chat: ChatRow, what: 'created' | 'deleted', { user_id, email, role }: Row) {
  const { id: chat_id, agent_id, workspace_id } = chat
  const crew_id = agentById(app, agent_id)?.crew_id
  const about = { workspace_id, ...(crew_id && { crew_id }), agent_id, ...actorOf(actor) }
  const metadata = { chat_id, user_id, role }
  app.journal(fact(`chat_participant.${what}`, { entity_id: user_id, name: email, metadata }, about))
  app.broadcast({ channel: `session:${chat_id}`, type: 'chat_participants', payload: { agent_id, chat_id } })
}
