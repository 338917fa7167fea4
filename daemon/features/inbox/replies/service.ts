import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import type { Happened } from '#kernel/facts'
import { raise } from '../service.ts'
import { type ChatRow, queries } from './queries.ts'

type Ended = Happened<'run.completed' | 'run.failed' | 'run.cancelled' | 'run.timeout'>

const words: Record<Ended['name'], (chat: ChatRow) => string> = {
  'run.completed': ({ agent_name }) => `${agent_name} answered`,
  'run.failed': ({ agent_name }) => `${agent_name}'s run failed`,
  'run.cancelled': ({ agent_name }) => `${agent_name}'s run was cancelled`,
  'run.timeout': ({ agent_name }) => `${agent_name}'s run took too long`,
}

/** Whoever began a chat hears that a run in it has ended, unless they see it, or ended it themselves. */
export function noticeEnd(app: App, { name, payload, about }: Ended): void {
  const chat = payload.chat_id && queries(app.db).chat.get(payload.chat_id)
  const user = chat ? chat.created_by : null
  if (!chat || !user || about.actor_id === user || !membership(app.db, chat.workspace_id, user)) return
  if (app.runs.isWatched(chat.id, user)) return
  const { id, title, agent_id, agent_name, agent_slug } = chat
  raise(
    app,
    {
      workspace: chat.workspace_id,
      kind: 'message',
      source: `chat_reply_${id}_${user}`,
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
