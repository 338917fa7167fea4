import type { Static } from 'typebox'
import { type acts, answerLimit, type Receipt } from '#contract/asks'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { type Problem, problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { deliver, type SessionRow, sessionOfItem, setSession } from '../../asks/sessions/service.ts'
import { addMessage, journalUserMessage } from '../../chats/messages/service.ts'
import { placeOf } from '../../crews/places/service.ts'
import { findRun, type Run, resumeRun, wishCancel } from '../../runs/service.ts'
import { find as findUser } from '../../users/service.ts'
import { amendPayload, find, settle } from '../service.ts'

type Act = Call<typeof acts.act>
export type Acted = { receipt: Static<typeof Receipt> }

/** How long a decision waits for the program that asked to be gone. */
const patienceMs = 20_000

/** Waits until the program that asked has ended: what it said comes before the answer. */
export async function quiet(app: App, { actor, itemId }: Act): Promise<void> {
  const session = sessionOfItem(app, actor.workspace, find(app, actor, itemId).id)
  if (!session || findRun(app, session.run_id)?.phase !== 'parking') return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patienceMs)
    void app.runs?.ended(session.run_id).then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/**
 * Carries out what a person decided about an agent's question: once, whoever else decides. Contract part 3, section
 * 3.3.
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
  // The card is settled first: what ends the run would close it as cancelled.
  settle(app, { workspace: actor.workspace, kind: row.kind, source: row.source_id, action, by: actor.id, now })
  if (input === null) {
    setSession(app, session.id, 'idle')
    wishCancel(app, run.id, actor.id)
  }
  const base = {
    action,
    acted_by: actor.id,
    acted_at: now,
    inbox_item_id: row.id,
    session_id: session.id,
    source_run_id: run.id,
    ...answered,
  }
  const receipt = { ...base, ...record(app, actor, run, base) }
  amendPayload(app, row, { receipt })
  return { receipt }
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
 * Puts the answer into the chat and lets the run go on; where that cannot be the answer is kept and the card stays
 * open.
 */
function answer(app: App, actor: Actor, { session, run, input, now }: Answering): Answered {
  if (run.phase !== 'parked')
    throw problem('unavailable', { detail: 'The agent is still being parked; try again in a moment' })
  const metadata = {
    answer_to: {
      inbox_item_id: session.inbox_item_id,
      question: session.question,
      by: findUser(app, actor.id).full_name,
    },
  }
  const message = {
    chatId: session.chat_id,
    agentId: run.agent_id,
    runId: run.id,
    role: 'user',
    content: input,
    metadata,
    authorUserId: actor.id,
  } as const
  const { id: comment_id } = addMessage(app, message)
  const agent = agentById(app, run.agent_id)
  if (agent) journalUserMessage(app, actor, { runId: run.id, chatId: session.chat_id }, agent, input)
  const hindrance = whyNot(app, run)
  const undeliverable = (detail: string) => ({
    problem: problem('answer_undeliverable', { detail, extra: { dispatch_state: 'undeliverable', comment_id } }),
  })
  if (hindrance) return undeliverable(hindrance)
  const delivery_id = deliver(app, session, comment_id, now)
  if (!delivery_id) return undeliverable('Another answer to this question was delivered before')
  const dispatch_state = app.runs!.full ? 'queued' : 'dispatched'
  setSession(app, session.id, 'idle')
  resumeRun(app, run.id, { actor, message: comment_id, inbox_item_id: session.inbox_item_id, delivery_id })
  return { comment_id, delivery_id, run_id: run.id, dispatch_state }
}

function whyNot(app: App, run: Run): string | null {
  if (!app.runs) return 'This server runs no agents'
  const agent = agentById(app, run.agent_id)
  if (!agent) return 'The agent is deleted'
  if (agent.status === 'PENDING_REVIEW') return 'The agent waits for review'
  return placeOf(app, run.agent_id)?.crewId === run.crew_id ? null : 'The agent has left the crew in which it asked'
}

/** The receipt as an entry of the journal. */
function record(
  app: App,
  actor: Actor,
  run: Run,
  receipt: Record<string, unknown> & { action: string; inbox_item_id: string },
) {
  const { entry, seq } = app.journal({
    workspace_id: run.workspace_id,
    crew_id: run.crew_id,
    agent_id: run.agent_id,
    trace_id: run.id,
    type: 'audit.entity_updated',
    summary: `inbox item ${receipt.inbox_item_id}: ${receipt.action}`,
    ...actorOf(actor),
    payload: { action: 'inbox_acted', entity_type: 'inbox_item', entity_id: receipt.inbox_item_id, metadata: receipt },
    refs: { entity_type: 'inbox_item', entity_id: receipt.inbox_item_id },
  })
  return { event_id: entry.id, seq }
}
