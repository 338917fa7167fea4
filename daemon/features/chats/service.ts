import type { Static } from 'typebox'
import { AskSubmission, type Chat, type chats, origins } from '#contract/chats'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows, type Role } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { validator } from '#kernel/http/validate'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { type AgentRow, agentById, findAgent } from '../agents/service.ts'
import { beginRun, busy, checkMayBegin, checkMayEnd, runOfChat, wishCancel } from '../runs/service.ts'
import { addMessage, journalUserMessage, messageWindow } from './messages/service.ts'
import { type ChatRow, queries } from './queries.ts'

const absent = (what: string) => problem('not_found', { detail: `There is no such ${what}` })

const toChat = ({ created_by: _by, ...chat }: ChatRow): Static<typeof Chat> => chat

export function listChats(app: App, { actor, agentId, query }: Call<typeof chats.list>): Static<typeof Chat>[] {
  const agent = findAgent(app, actor.workspace, agentId)
  const page = pageOf(query, { max: 100 })
  return queries(app.db)
    .list.all({ agent: agent.id, user: actor.id, ...page })
    .map(toChat)
}

/** Opens a chat. With an id of the caller's own the same chat is there again; another agent's is refused. */
export function createChat(app: App, { actor, agentId, body, now }: Call<typeof chats.create>): { id: string } {
  const agent = findAgent(app, actor.workspace, agentId)
  const origin = origins.find((known) => known === body?.origin) ?? null
  const id = body?.session_id ?? newId(app.clock())
  const times = { created_at: now, last_activity_at: new Date(app.clock()).toISOString() }
  const made = queries(app.db).insert.get({
    id,
    agent_id: agent.id,
    workspace_id: actor.workspace,
    origin,
    created_by: actor.id,
    ...times,
  })
  if (made) app.journal(fact('chat.created', { entity_id: id }, about(actor, actor.workspace, agent)))
  else if (queries(app.db).find.get({ id, user: actor.id })?.agent_id !== agent.id)
    throw problem('chat_taken', { field: 'session_id' })
  return { id }
}

/** A chat of that agent, for its creator and for those who may change the agent. */
function ownChat(app: App, actor: Actor, agentId: string, chatId: string): { chat: ChatRow; agent: AgentRow } {
  const agent = findAgent(app, actor.workspace, agentId)
  const chat = chatOfAgent(app, actor, agent, chatId)
  const mayEdit =
    actor.role && (allows('ADMIN', actor.role) || (actor.role === 'MANAGER' && agent.created_by_user_id === actor.id))
  if (chat.created_by !== actor.id && !mayEdit)
    throw problem('insufficient_role', { detail: 'Only who opened the chat or may change the agent can do this' })
  return { chat, agent }
}

function chatOfAgent(app: App, actor: Actor, agent: AgentRow, chatId: string): ChatRow {
  const chat = queries(app.db).find.get({ id: chatId, user: actor.id })
  if (chat?.agent_id !== agent.id) throw absent('chat')
  return chat
}

export function renameChat(app: App, { actor, agentId, chatId, body }: Call<typeof chats.rename>): Static<typeof Chat> {
  const { agent, chat } = ownChat(app, actor, agentId, chatId)
  // The joiner that makes one sign of several emoji is the one format character that a title keeps.
  const title = body.title
    .replace(/\s+/g, ' ')
    .replace(/(?!\u200d)\p{C}/gu, '')
    .trim()
  if (title === '' || [...title].length > 200)
    throw problem('invalid_field', { field: 'title', detail: 'title must have 1 to 200 characters' })
  queries(app.db).rename.run(title, chatId)
  const payload = { entity_id: chatId, name: title, metadata: { changed: ['title'] } }
  app.journal(fact('chat.updated', payload, about(actor, chat.workspace_id, agent)))
  tell(app, actor, 'chat_renamed', { agent_id: agentId, chat_id: chatId, title })
  return toChat({ ...chat, title })
}

export function readChat(app: App, { actor, agentId, chatId, now }: Call<typeof chats.read>): Reply<typeof chats.read> {
  chatOfAgent(app, actor, findAgent(app, actor.workspace, agentId), chatId)
  queries(app.db).markRead.run({ chat: chatId, user: actor.id, at: now })
  return { chat_id: chatId, last_read_at: now }
}

/** Deletes a chat with messages and cursors; not while its agent works in it. */
export function removeChat(app: App, { actor, agentId, chatId }: Call<typeof chats.remove>): undefined {
  const { agent, chat } = ownChat(app, actor, agentId, chatId)
  if (runOfChat(app, chatId)) throw busy(app, chatId, 'The agent is working in this chat; cancel the run first')
  queries(app.db).remove.run(chatId)
  const name = chat.title === null ? {} : { name: chat.title }
  app.journal(fact('chat.deleted', { entity_id: chatId, ...name }, about(actor, chat.workspace_id, agent)))
  tell(app, actor, 'chat_deleted', { agent_id: agentId, chat_id: chatId })
}

const tell = (app: App, actor: Actor, type: string, payload: object): void =>
  app.broadcast({ channel: `workspace:${actor.workspace}`, type, payload })

/** What a fact of a chat concerns; the chat is named by its title. */
const about = (actor: Actor, workspace_id: string, agent: AgentRow) => ({
  workspace_id,
  ...(agent.crew_id && { crew_id: agent.crew_id }),
  agent_id: agent.id,
  ...actorOf(actor),
})

export const workspaceOfChat = ({ db }: App, chatId: string): string | undefined =>
  queries(db).workspace.get(chatId)?.workspace_id

/**
 * The chat, when the caller is a member of its workspace. The workspace is the chat's own: none is named by the
 * request.
 */
export function enterChat(app: App, actor: Actor, chatId: string): { chat: ChatRow; role: Role } | null {
  const chat = queries(app.db).find.get({ id: chatId, user: actor.id })
  const member = chat && membership(app.db, chat.workspace_id, actor.id)
  return member ? { chat, role: member.role } : null
}

/** An unknown and a foreign chat look empty. */
export function listMessages(
  app: App,
  { actor, chatId, query }: Call<typeof chats.messages>,
): Reply<typeof chats.messages> {
  const entered = enterChat(app, actor, chatId)
  const { limit, offset } = pageOf(query, { fallback: 50, max: 500 })
  return {
    chat_id: chatId,
    messages: entered ? messageWindow(app, chatId, limit, query.offset === undefined ? null : offset) : [],
  }
}

const askSubmission = validator(AskSubmission, 'body')

/** Keeps only a valid ask submission of what a client attaches to a message. */
function keptMetadata(metadata: Record<string, unknown> | undefined): Record<string, unknown> {
  const { ask_submission } = metadata ?? {}
  if (typeof ask_submission !== 'object' || ask_submission === null) return {}
  const checked = askSubmission(ask_submission)
  return 'value' in checked ? { ask_submission: checked.value } : {}
}

/** Stores what the user said and the run that answers it, together. docs/rules/chats.md, "Sending". */
export function sendMessage(app: App, { actor, chatId, body }: Call<typeof chats.send>): Reply<typeof chats.send> {
  const { chat } = enterChat(app, actor, chatId) ?? {}
  const agent = chat && agentById(app, chat.agent_id)
  if (!chat || !agent) throw absent('chat')
  checkMayBegin(app, agent)
  if (body.content.trim() === '')
    throw problem('invalid_field', { field: 'content', detail: 'content must not be blank' })
  const runId = newId(app.clock())
  const metadata = keptMetadata(body.metadata)
  const message = addMessage(app, {
    chatId,
    agentId: agent.id,
    runId,
    role: 'user',
    content: body.content,
    metadata,
    authorUserId: actor.id,
  })
  journalUserMessage(app, actor, { runId, chatId }, agent, body.content)
  beginRun(app, {
    id: runId,
    agent,
    source: 'chat',
    source_id: message.id,
    chat_id: chatId,
    triggered_by: actor.id,
    trigger_type: 'USER',
    max_turns: body.max_turns ?? 0,
  })
  return { message_id: message.id, run_id: runId }
}

/** Requests the end of the chat's run: callers may end their own, MANAGER and above any. Null when there is none. */
export function wishChatCancel(app: App, { actor, chatId }: Call<typeof chats.cancel>): string | null {
  const entered = enterChat(app, actor, chatId)
  if (!entered) throw absent('chat')
  const run = runOfChat(app, chatId)
  if (!run) return null
  checkMayEnd(app, { id: actor.id, workspace: entered.chat.workspace_id, role: entered.role }, run)
  wishCancel(app, run.id, actor.id)
  return run.id
}
