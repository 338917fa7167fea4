import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import type { Happened } from '#kernel/facts'
import { itemId, raise, settle } from '../service.ts'
import { type ChatRow, queries } from './queries.ts'

type Ended = Happened<'run.completed' | 'run.failed' | 'run.cancelled' | 'run.timeout'>

const words: Record<Ended['name'], (chat: ChatRow) => string> = {
  'run.completed': ({ agent_name }) => `${agent_name} answered`,
  'run.failed': ({ agent_name }) => `${agent_name}'s run failed`,
  'run.cancelled': ({ agent_name }) => `${agent_name}'s run was cancelled`,
  'run.timeout': ({ agent_name }) => `${agent_name}'s run took too long`,
}

/**
 * Those for whom an answer in a chat is, without those who see it there, and how it is called. Null where there is no
 * such chat.
 */
export function awaiting(app: App, chatId: string, run: string | null): { title: string; users: string[] } | null {
  const chat = queries(app.db).chat.get(chatId)
  if (!chat) return null
  const title = `${chat.agent_name} answered${chat.title ? `: ${chat.title}` : ''}`
  return { title, users: concerned(app, chat, run).filter((user) => !app.runs.isWatched(chatId, user)) }
}

/**
 * Whoever began a chat hears that a run in it has ended, and in a group everybody but the one who asked; unless they
 * see it, or ended it themselves.
 */
export function noticeEnd(app: App, ended: Ended): void {
  const { payload, about } = ended
  const chat = payload.chat_id && queries(app.db).chat.get(payload.chat_id)
  if (!chat) return
  for (const user of concerned(app, chat, about.trace_id ?? null)) {
    if (about.actor_id === user || !membership(app.db, chat.workspace_id, user)) continue
    if (!app.runs.isWatched(chat.id, user)) notice(app, ended, chat, user)
  }
}

const sourceOf = (chat: string, user: string) => `chat_reply_${chat}_${user}`

/** Whoever has read a chat needs no notice of its answers. */
export const clearNotice = (app: App, read: { workspace: string; chat: string; user: string; now: string }): void =>
  settle(app, {
    workspace: read.workspace,
    id: itemId('message', sourceOf(read.chat, read.user)),
    action: 'read',
    by: read.user,
    now: read.now,
  })

/** Notices of a deleted chat lead nowhere. */
export function clearNotices(app: App, { payload: { entity_id: chat }, about }: Happened<'chat.deleted'>): void {
  const workspace = about.workspace_id!
  for (const { id } of queries(app.db).ofChat.all({ workspace, from: itemId('message', sourceOf(chat, '')), chat }))
    settle(app, { workspace, id, action: 'deleted', by: null, now: app.now() })
}

function concerned({ db }: App, { id, visibility, created_by }: ChatRow, run: string | null): string[] {
  if (visibility !== 'group') return created_by === null ? [] : [created_by]
  return queries(db)
    .others.all({ chat: id, run })
    .map(({ user_id }) => user_id)
}

function notice(app: App, { name, payload, about }: Ended, chat: ChatRow, user: string): void {
  const { id, title, agent_id, agent_name, agent_slug } = chat
  raise(
    app,
    {
      workspace: chat.workspace_id,
      kind: 'message',
      source: sourceOf(id, user),
      target: { user },
      title: `${words[name](chat)}${title ? `: ${title}` : ''}`,
      body: payload.error_message ?? null,
      sender: { type: 'agent', id: agent_id, name: agent_name },
      run: about.trace_id ?? null,
      payload: {
        chat_id: id,
        agent_id,
        agent_slug,
        chat_title: title,
        chat_url: `${app.config.publicUrl.replace(/\/+$/, '')}/chats/${id}`,
      },
      says: { source: 'chat_reply', chat: id },
      now: app.now(),
    },
    'upsert',
  )
}
