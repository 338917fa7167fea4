import { AskSubmission, type chats } from '#contract/chats'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { isVisible } from '#kernel/http/fields'
import { validator } from '#kernel/http/validate'
import { newId } from '#kernel/ids'
import { mentions } from '#kernel/mentions'
import { problem } from '#kernel/problem'
import { type AgentRow, agentById } from '../../agents/service.ts'
import { beginRun, checkMayBegin, checkMayHear, runOfChat } from '../../runs/service.ts'
import { addMessage, journalUserMessage } from '../messages/service.ts'
import type { ChatRow } from '../queries.ts'
import { once } from '../sends/service.ts'
import { enterChat } from '../service.ts'

const askSubmission = validator(AskSubmission, 'body')

/** Keeps only a valid ask submission of what a client attaches to a message. */
function keptMetadata(metadata: Record<string, unknown> | undefined): Record<string, unknown> {
  const { ask_submission } = metadata ?? {}
  if (typeof ask_submission !== 'object' || ask_submission === null) return {}
  const checked = askSubmission(ask_submission)
  if (!('value' in checked)) return {}
  const value = checked.value as Record<string, unknown>
  const known = Object.keys(AskSubmission.properties).filter((name) => value[name] !== undefined)
  return { ask_submission: Object.fromEntries(known.map((name) => [name, value[name]])) }
}

/**
 * Stores what the user said and the run that answers it, together. In a group chat an agent that is not mentioned does
 * not answer. docs/rules/chats.md, "Sending".
 */
export function sendMessage(app: App, call: Call<typeof chats.send>): Reply<typeof chats.send> {
  const { actor, chatId, body } = call
  const { content, max_turns = 0 } = body
  const metadata = keptMetadata(body.metadata)
  const place = enter(app, actor, chatId)
  return once(app, call, { content, max_turns, metadata }, () => {
    const agent = present(place.agent)
    checkMayHear(agent)
    checkVisible('content', content)
    if (!isAddressed(place.chat, agent, content))
      return { message_id: note(app, { actor, chatId, agent, content, metadata }), run_id: null }
    checkMayBegin(app, agent)
    const run_id = newId(app.clock())
    const message_id = store(app, { actor, chatId, agent, content, metadata }, run_id)
    beginRun(app, {
      id: run_id,
      agent,
      source: 'chat',
      source_id: message_id,
      chat_id: chatId,
      triggered_by: actor.id,
      trigger_type: 'USER',
      max_turns,
    })
    return { message_id, run_id }
  })
}

export interface Words {
  actor: Actor
  chatId: string
  agent: AgentRow
  content: string
  metadata: Record<string, unknown>
}

/** Stores what a person said, and puts it on record. */
export function store(app: App, { actor, chatId, agent, content, metadata }: Words, runId: string | null): string {
  const message = { chatId, agentId: agent.id, runId, role: 'user', content, metadata, authorUserId: actor.id } as const
  const { id } = addMessage(app, message)
  journalUserMessage(app, actor, { runId, chatId }, agent, content)
  return id
}

/** Whether a message is said to the agent: in a group chat, only one that mentions it is. */
export const isAddressed = ({ visibility }: ChatRow, agent: AgentRow, content: string): boolean =>
  visibility !== 'group' || mentions(content, agent)

/** Stores a message that nobody answers. Who watches a run is not told of an end that is not its own. */
function note(app: App, words: Words): string {
  const { actor, chatId, content } = words
  const message_id = store(app, words, null)
  const event = (payload: object) => app.broadcast({ channel: `session:${chatId}`, type: 'chat_event', payload })
  event({ type: 'user_message', content, metadata: { message_id, author_user_id: actor.id } })
  if (!runOfChat(app, chatId)) event({ type: 'done', content: '', metadata: { no_reply: true } })
  return message_id
}

/** A chat that the caller may enter, with its agent. */
export function enter(app: App, actor: Actor, chatId: string): { chat: ChatRow; agent: AgentRow | undefined } {
  const entered = enterChat(app, actor, chatId)
  if (!entered) throw problem('not_found', { detail: 'There is no such chat' })
  return { chat: entered.chat, agent: agentById(app, entered.chat.agent_id) }
}

export function present(agent: AgentRow | undefined): AgentRow {
  if (!agent) throw problem('not_found', { detail: 'The agent of this chat was deleted' })
  return agent
}

/** Refuses what nobody could read. */
export function checkVisible(field: string, text: string): void {
  if (!isVisible(text)) throw problem('invalid_field', { field, detail: `${field} must not be blank` })
}
