import type { Static } from 'typebox'
import { type acts, answerLimit, type Receipt } from '#contract/asks'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { type Problem, problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { addMessage, journalUserMessage } from '../../chats/messages/service.ts'
import { placeOf } from '../../crews/places/service.ts'
import { settle } from '../../decisions/service.ts'
import { amendPayload, find, giveTo } from '../../inbox/service.ts'
import { commentAnswer, recordActed } from '../../issues/answers/service.ts'
import { openly } from '../../runs/chains/service.ts'
import { sourceOf } from '../../runs/messages/service.ts'
import { findRun, type Run, resumeRun, wishCancel } from '../../runs/service.ts'
import { find as findUser } from '../../users/service.ts'
import { question } from '../kind.ts'
import { personFor } from '../service.ts'
import { deliver, type SessionRow, sessionOfItem, setSession, waitingSessions } from '../sessions/service.ts'

type Act = Call<typeof acts.act>
export type Acted = { receipt: Static<typeof Receipt> }

/** How long a decision waits for the program that asked to be gone. */
const patienceMs = 20_000

/** Waits until the program that asked has ended, so that its output precedes the answer. */
export async function quiet(app: App, { actor, itemId }: Act): Promise<void> {
  const session = sessionOfItem(app, actor.workspace, find(app, actor, itemId).id)
  if (!session || findRun(app, session.run_id)?.phase !== 'parking') return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patienceMs)
    void app.runs.ended(session.run_id).then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/**
 * Carries out what a person decided about an agent's question: once, whoever else decides. docs/rules/inbox.md, "Acting
 * on a question".
 */
export function act(app: App, { actor, itemId, body, now }: Act): Acted | Problem {
  const { action } = body
  const input = inputOf(body)
  const row = find(app, actor, itemId)
  if (row.kind !== 'run_needs_human') throw problem('not_actionable', { extra: { kind: row.kind } })
  if (row.resolved_at) {
    const { resolved_action, resolved_by_user_id } = row
    throw problem('already_acted', {
      detail: `This was settled before: ${resolved_action ?? 'resolved'}`,
      extra: { resolved_action, resolved_by_user_id },
    })
  }
  const session = sessionOfItem(app, actor.workspace, row.id)
  const run = session && findRun(app, session.run_id)
  if (!session || !run || run.phase === 'ended') throw problem('run_gone', { extra: { source_id: row.source_id } })

  const answered = input === null ? null : answer(app, actor, { session, run, input, now })
  if (answered && 'problem' in answered) return answered.problem
  return { receipt: end(app, { session, run, action, by: actor.id, input, answered, now }) }
}

interface Ending {
  session: SessionRow
  run: Run
  action: Act['body']['action']
  by: string
  /** The answer, and what became of it; null for what ends the run. */
  input: string | null
  answered: Exclude<Answered, { problem: Problem }> | null
  now: string
}

/** The question is decided; its run goes on or is ended, and both card and journal keep the receipt. */
function end(app: App, { session, run, action, by, input, answered, now }: Ending): Acted['receipt'] {
  // Settled before the run ends, because its end withdraws open questions.
  settle(app, session.ask_id, { state: 'decided', outcome: action, actor: null, by, now })
  const event = recordActed(app, run, action, by)
  if (!answered) {
    setSession(app, session.id, 'idle')
    wishCancel(app, run.id, by)
  }
  const base = {
    action,
    acted_by: by,
    acted_at: now,
    inbox_item_id: session.inbox_item_id,
    session_id: session.id,
    source_run_id: run.id,
    ...answered,
  }
  const { inbox_item_id: entity_id } = session
  const question = openly(app, run, session.question)
  const metadata = { ...base, question, ...(input && { input: openly(app, run, input) }) }
  const { workspace_id, crew_id, agent_id, mission_id, id: trace_id } = run
  const of = { workspace_id, crew_id, agent_id, ...(mission_id && { mission_id }), trace_id }
  const about = { ...of, actor_type: 'user', actor_id: by } as const
  const { entry, seq } = app.journal(fact('inbox_item.acted', { entity_id, metadata }, about))
  const receipt = { ...base, ...(event ?? { event_id: entry.id, seq }) }
  amendPayload(app, workspace_id, entity_id, { receipt })
  return receipt
}

/** Resolving the card dismisses the question: a run must not wait for a card that nobody sees. */
export function dismissResolved(app: App, { payload: { metadata }, about }: Happened<'inbox_item.updated'>): void {
  const { state, ids = [] } = metadata ?? {}
  if (state !== 'resolved') return
  for (const id of ids) dismiss(app, sessionOfItem(app, about.workspace_id!, id), about.actor_id)
}

/** The same where cards are deleted. */
export function dismissPurged(app: App, { payload: { metadata }, about }: Happened<'inbox.purged'>): void {
  if (metadata.kind !== undefined && metadata.kind !== question.card) return
  for (const session of waitingSessions(app, about.workspace_id!)) dismiss(app, session, about.actor_id)
}

/** Questions in rooms go to members who may decide; where nobody may any more, the run is ended. */
export function askOthers(
  app: App,
  { about }: Happened<'workspace_member.updated' | 'workspace_member.deleted'>,
): void {
  for (const session of waitingSessions(app, about.workspace_id!)) {
    const run = session.chat_id === null ? findRun(app, session.run_id) : undefined
    const person = run && personFor(app, run)
    if (person) giveTo(app, session.workspace_id, session.inbox_item_id, person)
    else if (run) dismiss(app, session, about.actor_id)
  }
}

function dismiss(app: App, session: SessionRow | undefined, by: string | undefined): void {
  const run = session && findRun(app, session.run_id)
  if (!session || !run || run.phase === 'ended' || !by) return
  end(app, { session, run, action: 'dismiss', by, input: null, answered: null, now: app.now() })
}

/** Null for actions that take no text. */
function inputOf({ action, input }: Act['body']): string | null {
  if (action !== 'answer') return null
  const text = input?.trim() ?? ''
  if (text === '') throw problem('missing_field', { field: 'input', detail: 'An answer needs a text' })
  if ([...text].length > answerLimit)
    throw problem('invalid_field', { field: 'input', detail: `An answer has at most ${answerLimit} characters` })
  return text
}

interface Answering {
  session: SessionRow
  run: Run
  input: string
  now: string
}

type Answered =
  | { comment_id: string; delivery_id: string; run_id: string; dispatch_state: string }
  | { problem: Problem }

/**
 * Puts the answer into the chat and lets the run go on. When that is impossible, the answer is kept and the card stays
 * open.
 */
function answer(app: App, actor: Actor, { session, run, input, now }: Answering): Answered {
  if (run.phase !== 'parked')
    throw problem('unavailable', { detail: 'The agent is still being parked; try again in a moment' })
  const message =
    session.chat_id === null
      ? sourceOf(app, run).answers!.keep(app, run, { by: actor.id, question: session.question, text: input })
      : keepInChat(app, actor, session, run, session.chat_id, input)
  const comment_id = commentAnswer(app, run, actor.id, input) ?? message
  const hindrance = whyNot(app, run)
  const undeliverable = (detail: string) => ({
    problem: problem('answer_undeliverable', { detail, extra: { dispatch_state: 'undeliverable', comment_id } }),
  })
  if (hindrance) return undeliverable(hindrance)
  const delivery_id = deliver(app, session, message, now)
  if (!delivery_id) return undeliverable('Another answer to this question was delivered before')
  const dispatch_state = app.runs.full ? 'queued' : 'dispatched'
  setSession(app, session.id, 'idle')
  resumeRun(app, run.id, { actor, message, inbox_item_id: session.inbox_item_id, delivery_id })
  return { comment_id, delivery_id, run_id: run.id, dispatch_state }
}

function keepInChat(app: App, actor: Actor, session: SessionRow, run: Run, chatId: string, input: string): string {
  const metadata = {
    answer_to: {
      inbox_item_id: session.inbox_item_id,
      question: session.question,
      by: findUser(app, actor.id).full_name,
    },
  }
  const message = {
    chatId,
    agentId: run.agent_id,
    runId: run.id,
    role: 'user',
    content: input,
    metadata,
    authorUserId: actor.id,
  } as const
  const { id } = addMessage(app, message)
  const agent = agentById(app, run.agent_id)
  if (agent) journalUserMessage(app, actor, { runId: run.id, chatId }, agent, input)
  return id
}

function whyNot(app: App, run: Run): string | null {
  if (!app.runs.available) return 'This server runs no agents'
  const agent = agentById(app, run.agent_id)
  if (!agent) return 'The agent is deleted'
  if (agent.status === 'PENDING_REVIEW') return 'The agent waits for review'
  if (agent.expired_at !== null) return 'The time for which the agent was hired is over'
  return placeOf(app, run.agent_id)?.crewId === run.crew_id ? null : 'The agent has left the crew in which it asked'
}
