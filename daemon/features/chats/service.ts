import type { Static } from 'typebox'
import { type Chat, type chats, origins } from '#contract/chats'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows, type Role } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { type AgentRow, findAgent } from '../agents/service.ts'
import { clearNotice } from '../inbox/replies/service.ts'
import { busy, checkMayEnd, runOfChat, wishCancel } from '../runs/service.ts'
import { messageWindow } from './messages/service.ts'
import { type ChatRow, queries } from './queries.ts'
import { leaveSessions } from './sessions/service.ts'

const absent = (what: string) => problem('not_found', { detail: `There is no such ${what}` })

const toChat = ({ created_by: _by, mission_id, ...chat }: ChatRow): Static<typeof Chat> => ({
  ...chat,
  ...(mission_id && { mission_id }),
})

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
  const [, trigger, issue] = ownChats.exec(id) ?? []
  if ((trigger ?? issue ?? agent.id) !== agent.id) throw problem('chat_taken', { field: 'session_id' })
  const times = { created_at: now, last_activity_at: new Date(app.clock()).toISOString() }
  const made = queries(app.db).insert.get({
    id,
    agent_id: agent.id,
    workspace_id: actor.workspace,
    origin,
    created_by: actor.id,
    mission_id: null,
    ...times,
  })
  if (made) app.journal(fact('chat.created', { entity_id: id }, about(actor, actor.workspace, agent)))
  else if (queries(app.db).find.get({ id, user: actor.id })?.agent_id !== agent.id)
    throw problem('chat_taken', { field: 'session_id' })
  return { id }
}

/** Ids of chats that Muster itself opens for an agent: nobody takes them for another one. */
const ownChats = /^(?:webhook|cron)-(.*)$|^issue-(.*)-c[a-z0-9]{24}$/

/** The id of the chat in which an agent works on an issue. */
export const issueChatId = (agentId: string, missionId: string): string => `issue-${agentId}-${missionId}`

/** The chat of an agent about an issue, opened at the first time. */
export function openIssueChat(app: App, agent: AgentRow, missionId: string, title: string): string {
  const id = openOwn(app, agent, { id: issueChatId(agent.id, missionId), origin: null, title })
  queries(app.db).setMission.run(missionId, id)
  return id
}

/** A chat of an agent in which Muster speaks, opened at the first time. */
export const openOwnChat = (app: App, agent: AgentRow, kind: 'webhook' | 'cron', title: string): string =>
  openOwn(app, agent, { id: `${kind}-${agent.id}`, origin: kind === 'webhook' ? 'WEBHOOK' : 'CRON', title })

type Own = Pick<ChatRow, 'id' | 'origin'> & { title: string }

function openOwn(app: App, agent: AgentRow, { id, origin, title }: Own): string {
  const times = { created_at: app.now(), last_activity_at: new Date(app.clock()).toISOString() }
  const { id: agent_id, workspace_id } = agent
  const made = queries(app.db).insert.get({
    id,
    agent_id,
    workspace_id,
    origin,
    created_by: null,
    mission_id: null,
    ...times,
  })
  if (!made && queries(app.db).find.get({ id, user: '' })?.agent_id !== agent.id)
    throw new Error(`The chat ${id} belongs to another agent`)
  if (!made) return id
  queries(app.db).rename.run(title, id)
  const concerned = { workspace_id, ...(agent.crew_id && { crew_id: agent.crew_id }), agent_id }
  app.journal(fact('chat.created', { entity_id: id, name: title }, { ...concerned, ...actorOf(null) }))
  return id
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

/** The agent of a chat, both of the caller's workspace; `foreign` is what a chat of another agent's answers. */
export function agentOfChat(
  app: App,
  { workspace, id }: Actor,
  { agentId, chatId }: { agentId: string; chatId: string },
  foreign: Problem = absent('chat'),
): AgentRow {
  const agent = findAgent(app, workspace, agentId)
  const chat = queries(app.db).find.get({ id: chatId, user: id })
  if (chat?.workspace_id !== workspace) throw absent('chat')
  if (chat.agent_id !== agent.id) throw foreign
  return agent
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
  clearNotice(app, { workspace: actor.workspace, chat: chatId, user: actor.id, now })
  return { chat_id: chatId, last_read_at: now }
}

/** Deletes a chat with messages and cursors; not while its agent works in it. */
export function removeChat(app: App, { actor, agentId, chatId }: Call<typeof chats.remove>): undefined {
  const { agent, chat } = ownChat(app, actor, agentId, chatId)
  if (runOfChat(app, chatId)) throw busy(app, chatId, 'The agent is working in this chat; cancel the run first')
  queries(app.db).remove.run(chatId)
  leaveSessions(app, chatId)
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
  const chat = queries(app.db).enter.get(chatId)
  const member = chat && membership(app.db, chat.workspace_id, actor.id)
  return member ? { chat, role: member.role } : null
}

/** Makes a chat a group or a private one, by who is in it. */
export const settleVisibility = ({ db }: App, chatId: string): void => void queries(db).settleVisibility.run(chatId)

/** An unknown and a foreign chat look empty. */
export function listMessages(
  app: App,
  { actor, chatId, query }: Call<typeof chats.messages>,
): Reply<typeof chats.messages> {
  const entered = enterChat(app, actor, chatId)
  const { limit, offset } = pageOf(query, { fallback: 50, max: 500 })
  const from = query.offset === undefined ? null : offset
  return {
    chat_id: chatId,
    messages: entered ? messageWindow(app, { chatId, user: actor.id, limit, offset: from }) : [],
  }
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
