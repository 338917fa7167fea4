import type { chats } from '#contract/chats'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { type AgentRow, agentById } from '../../agents/service.ts'
import { beginRun, checkMayHear, findRun, runOfChat } from '../../runs/service.ts'
import { moveToEnd, queuedSince } from '../messages/service.ts'
import { once } from '../sends/service.ts'
import { checkNotBlank, enter, isAddressed, present, store } from '../speaking/service.ts'

/**
 * Stores a message for the agent's next turn; a turn that goes on is not told. With `begin` it has a turn: at once, or
 * when the one that goes on has ended.
 */
export function steer(app: App, call: Call<typeof chats.steer>): Reply<typeof chats.steer> {
  const { actor, chatId } = call
  const { message: content, begin: wanted = false } = call.body
  const place = enter(app, actor, chatId)
  return once(app, call, { steer: content, ...(wanted && { begin: true }) }, () => {
    const agent = present(place.agent)
    checkNotBlank('message', content)
    if (!app.runs.available) throw problem('runtime_unavailable')
    const in_flight = runOfChat(app, chatId) !== undefined
    const begin = wanted && isAddressed(place.chat, agent, content)
    if (begin) checkMayHear(agent)
    const run_id = begin && !in_flight ? newId(app.clock()) : null
    const metadata = { kind: 'queued_steer', in_flight, ...(begin && in_flight && { begin }) }
    const message_id = store(app, { actor, chatId, agent, content, metadata }, run_id)
    if (run_id) beginTurn(app, { id: run_id, agent, chatId, message: message_id, author: actor.id })
    const payload = { chat_id: chatId, in_flight, content, message_id, author_user_id: actor.id }
    app.broadcast({ channel: `session:${chatId}`, type: 'steering_queued', payload })
    return { message_id, queued: true, in_flight, run_id }
  })
}

interface Turn {
  id: string
  agent: AgentRow
  chatId: string
  message: string
  author: string | null
}

const beginTurn = (app: App, { id, agent, chatId, message, author }: Turn) =>
  beginRun(app, {
    id,
    agent,
    source: 'chat',
    source_id: message,
    chat_id: chatId,
    triggered_by: author,
    trigger_type: 'USER',
  })

type Ended = Happened<'run.completed' | 'run.failed' | 'run.timeout'>

/** Begins the turn that messages wait for which were queued during a run. They then stand behind its answer. */
export function afterRun(app: App, { about }: Ended): void {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  const agent = run && agentById(app, run.agent_id)
  if (!run?.chat_id || !run.source_id || !agent) return
  const queued = queuedSince(app, run.chat_id, run.source_id)
  const last = queued.at(-1)
  if (!last) return
  const id = newId(app.clock())
  try {
    beginTurn(app, { id, agent, chatId: run.chat_id, message: last.id, author: last.author_user_id })
  } catch (error) {
    // The agent may not work at the moment: the messages are kept for its next turn.
    if (error instanceof Problem) return
    throw error
  }
  for (const message of queued) moveToEnd(app, message.id, id)
}
