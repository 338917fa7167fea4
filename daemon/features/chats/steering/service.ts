import type { chats } from '#contract/chats'
import type { Reply } from '#contract/define'
import { noteLimit } from '#contract/notes'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { quotedLines } from '#kernel/quoted-lines'
import { type AgentRow, agentById } from '../../agents/service.ts'
import { leaveNote, takesNotes, withdrawSaid } from '../../notes/service.ts'
import { beginRun, checkMayHear, findRun, type Run, runOfChat } from '../../runs/service.ts'
import { find } from '../../users/service.ts'
import { leaveQueued, type MessageRow, moveToEnd, noteDelivered, queuedSince } from '../messages/service.ts'
import { once } from '../sends/service.ts'
import { checkVisible, enter, isAddressed, present, store } from '../speaking/service.ts'

/**
 * Stores a message for an agent at work, which is told after its current step where its client can be; else with its
 * next turn. With `begin` what was not told has a turn: at once, or when the one that goes on has ended.
 */
export function steer(app: App, call: Call<typeof chats.steer>): Reply<typeof chats.steer> {
  const { actor, chatId } = call
  const { message: content, begin: wanted = false } = call.body
  const place = enter(app, actor, chatId)
  return once(app, call, { steer: content, ...(wanted && { begin: true }) }, () => {
    const agent = present(place.agent)
    checkMayHear(agent)
    checkVisible('message', content)
    if (!app.runs.available) throw problem('runtime_unavailable')
    const addressed = isAddressed(place.chat, agent, content)
    return say(app, { actor, chatId, agent, content, addressed, begin: wanted && addressed })
  })
}

interface Saying {
  actor: Actor
  chatId: string
  agent: AgentRow
  content: string
  /** It is said to the agent. */
  addressed: boolean
  /** It has a turn if it was not delivered. */
  begin: boolean
  /** The comment on an issue that it comes from. */
  comment_id?: string
}

/** Says something to an agent in one of its chats: during its run where that is possible, else it is queued. */
export function say(app: App, saying: Saying): Reply<typeof chats.steer> {
  const { actor, chatId, agent, content, addressed, begin, comment_id } = saying
  const run = runOfChat(app, chatId)
  const in_flight = run !== undefined
  const run_id = begin && !in_flight ? newId(app.clock()) : null
  const text = run && addressed ? wordsFor(app, run, actor.id, content) : null
  const delivery = text === null ? 'queued' : 'pending'
  const origin = comment_id === undefined ? {} : { comment_id }
  const metadata = { kind: 'queued_steer', in_flight, delivery, ...(begin && in_flight && { begin }), ...origin }
  const message_id = store(app, { actor, chatId, agent, content, metadata }, run_id)
  if (run && text !== null) leaveNote(app, { runId: run.id, kind: 'steer', text, messageId: message_id })
  const trigger = comment_id === undefined ? 'USER' : 'ISSUE'
  if (run_id) beginTurn(app, { id: run_id, agent, chatId, message: message_id, author: actor.id, trigger })
  tellQueued(app, { chat_id: chatId, in_flight, content, message_id, author_user_id: actor.id, delivery })
  return { message_id, queued: true, in_flight, delivery, run_id }
}

/** What an agent at work is told of what somebody says; null when it cannot be told in this run. */
function wordsFor(app: App, run: Run, author: string, content: string): string | null {
  if (!takesNotes(run) || !app.runs.steers(run.id)) return null
  const { full_name, email } = find(app, author)
  const text = `${full_name ?? email} says, while you work:\n${quotedLines(content)}`
  return text.length <= noteLimit ? text : null
}

interface Queued {
  chat_id: string
  in_flight: boolean
  content: string
  message_id: string
  author_user_id: string | null
  delivery: 'pending' | 'queued'
}

const tellQueued = (app: App, payload: Queued): void =>
  app.broadcast({ channel: `session:${payload.chat_id}`, type: 'steering_queued', payload })

/** Marks a message as told once its agent has taken the note. */
export function afterNote(app: App, { payload, about }: Happened<'run.note_taken'>): void {
  const { chat_id, message_id } = payload
  const run_id = about.trace_id
  if (!chat_id || !message_id || !run_id || !noteDelivered(app, { id: message_id, chat: chat_id, run: run_id })) return
  const delivered = { chat_id, message_id, run_id, delivery: 'delivered' }
  app.broadcast({ channel: `session:${chat_id}`, type: 'steering_delivered', payload: delivered })
}

/** Leaves what the agent was not told in a run to the next turn, or to how the run goes on after an answer. */
export function queueUntold(app: App, { about }: Pick<Ended, 'about'>): void {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  if (!run?.chat_id) return
  const { chat_id } = run
  for (const id of withdrawSaid(app, run.id)) {
    const message = leaveQueued(app, id)
    if (!message) continue
    const { content, author_user_id } = message
    tellQueued(app, { chat_id, in_flight: false, content, message_id: id, author_user_id, delivery: 'queued' })
  }
}

interface Turn {
  id: string
  agent: AgentRow
  chatId: string
  message: string
  author: string | null
  trigger: 'USER' | 'ISSUE'
}

const beginTurn = (app: App, { id, agent, chatId, message, author, trigger }: Turn) =>
  beginRun(app, {
    id,
    agent,
    source: 'chat',
    source_id: message,
    chat_id: chatId,
    triggered_by: author,
    trigger_type: trigger,
  })

/** Whether a message comes from a comment on an issue. */
const isComment = ({ metadata_json }: MessageRow): boolean =>
  metadata_json !== null && 'comment_id' in (JSON.parse(metadata_json) as object)

type Ended = Happened<'run.completed' | 'run.failed' | 'run.timeout' | 'run.cancelled' | 'run.resumed'>

/** Begins the turn that messages wait for which were queued during a run. They then stand behind its answer. */
export function afterRun(app: App, { about }: Pick<Ended, 'about'>): void {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  const agent = run && agentById(app, run.agent_id)
  queueUntold(app, { about })
  if (!run?.chat_id || !run.source_id || !agent) return
  const queued = queuedSince(app, run.chat_id, run.source_id)
  const last = queued.at(-1)
  if (!last) return
  const id = newId(app.clock())
  const trigger = run.trigger_type === 'ISSUE' || queued.some(isComment) ? 'ISSUE' : 'USER'
  try {
    beginTurn(app, { id, agent, chatId: run.chat_id, message: last.id, author: last.author_user_id, trigger })
  } catch (error) {
    // The agent may not work at the moment: the messages are kept for its next turn.
    if (error instanceof Problem) return
    throw error
  }
  for (const message of queued) moveToEnd(app, message.id, id)
}
