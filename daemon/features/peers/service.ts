import type { Static } from 'typebox'
import type { Acting, Payload } from '#contract/entries'
import { type crewPeers, type PeerConversation, peerWaitsSeconds } from '#contract/peers'
import type { App } from '#kernel/app'
import { mayKnow } from '#kernel/auth/internal'
import { cut } from '#kernel/cut'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { unlessStorage } from '#kernel/store/storage-fault'
import { wake, wokenBy } from '#kernel/waiting'
import { findCrew } from '../crews/service.ts'
import { lastWordsOf } from '../runs/messages/service.ts'
import { findRun, type Run, wishCancel } from '../runs/service.ts'
import { queries, type Row } from './queries.ts'
import { readBy } from './readers.ts'
import { tell } from './telling.ts'

/** Characters of an answer. */
const answerLimit = 32_000

export function list(app: App, { actor, crewId, query }: Call<typeof crewPeers.peerConversations>) {
  findCrew(app, actor.workspace, crewId)
  const { limit, offset } = pageOf(query, { fallback: 50, max: 100 })
  const rows = queries(app.db).list.all({ crew: crewId, limit, offset })
  return rows.map((row) => present(readBy(app, row, actor.id)))
}

const present = ({ escalated, ...row }: Row): Static<typeof PeerConversation> => ({
  ...row,
  escalated: escalated === 1,
})

/** The newest questions of an agent and to it, newest first. */
export function peerMessages(app: App, { agent, user }: { agent: string; user: string }, most: number) {
  const rows = [...queries(app.db).from.all(agent, most), ...queries(app.db).to.all(agent, most)]
  return rows
    .sort((a, b) => b.asked_ms - a.asked_ms)
    .slice(0, most)
    .map((row) => readBy(app, row, user))
    .map((row) => ({
      id: row.id,
      from_agent_name: row.from_name,
      from_agent_slug: row.from_slug,
      to_agent_name: row.to_name,
      to_agent_slug: row.to_slug,
      question: row.question,
      ...(row.response !== null && { response: row.response }),
      escalated: row.escalated === 1,
      ...(row.duration_ms !== null && { duration_ms: row.duration_ms }),
      status: row.status,
      created_at: row.created_at,
      direction: row.from_agent_id === agent ? ('outgoing' as const) : ('incoming' as const),
    }))
}

interface Outcome {
  status: 'COMPLETED' | 'FAILED'
  response?: string
  error?: string
}

/** Ends a conversation, unless it has ended. */
function end(app: App, { id, to_agent_id }: Row, { status, response = null, error = null }: Settled): void {
  if (!queries(app.db).end.get({ id, status, response, error, now: app.now(), ms: app.clock() })) return
  const by: Acting =
    status === 'COMPLETED' ? { actor_type: 'agent', actor_id: to_agent_id } : { actor_type: 'orchestrator' }
  tell(app, queries(app.db).find.get(id)!, status === 'COMPLETED' ? 'completed' : 'failed', by)
  wake(app, id)
}

interface Settled {
  status: Outcome['status']
  response?: string | null
  error?: string | null
}

type Ended = Happened<'run.completed' | 'run.failed' | 'run.cancelled' | 'run.timeout'>

/** Gives the asker what a run answers that has ended, and ends what a run asked that has ended. */
export function afterRun(app: App, it: Ended): void {
  const run = it.about.trace_id ? findRun(app, it.about.trace_id) : undefined
  if (!run) return
  const answering = run.source === 'peer' ? queries(app.db).ofRun.get(run.id) : undefined
  if (answering) end(app, answering, outcomeOf(app, run, it))
  const by = it.about.actor_type === 'user' ? (it.about.actor_id ?? null) : null
  for (const row of queries(app.db).askedIn.all(run.id)) {
    end(app, row, { status: 'FAILED', error: 'The run that asked is over' })
    wishCancel(app, row.run_id, by)
  }
}

function outcomeOf(app: App, run: Run, { name, payload }: Ended): Settled {
  if (name === 'run.cancelled') return { status: 'FAILED', error: 'Its run was cancelled' }
  if (name !== 'run.completed') {
    const words = name === 'run.timeout' ? 'Its run took too long' : 'Its run failed'
    const why = run.reason ?? (payload as Payload<'run.failed'>).error_message
    return { status: 'FAILED', error: why ? `${words}: ${why}` : words }
  }
  const said = lastWordsOf(app, run)
  return said
    ? { status: 'COMPLETED', response: cut(said, answerLimit) }
    : { status: 'FAILED', error: 'It said nothing' }
}

const late = `There was no answer within ${peerWaitsSeconds} seconds`

/** Ends the questions whose time is over, and the runs that would answer them. */
export function expireDue(app: App): void {
  for (const row of queries(app.db).due.all(app.now())) {
    end(app, row, { status: 'FAILED', error: late })
    wishCancel(app, row.run_id, null)
  }
}

export const nextDue = ({ db }: App): string | null => queries(db).next.get() ?? null

/** What the asker is told, as soon as there is an answer or the time is over; null when `signal` ended the waiting. */
export async function waitForPeer(app: App, id: string, signal: AbortSignal) {
  const asked = queries(app.db).find.get(id)!
  if (asked.status === 'RUNNING') await wokenBy(app, id, Date.parse(asked.deadline_at), signal)
  if (signal.aborted) return null
  await app.write(() => expireDue(app)).catch(unlessStorage)
  const { status, response, error, warning } = queries(app.db).find.get(id)!
  // The disk refuses to record it, but the time is over.
  if (status === 'RUNNING') return { status: 'FAILED' as const, error: late }
  return {
    status,
    ...(response !== null && { response }),
    ...(error !== null && { error }),
    ...(warning !== null && { warning }),
  }
}

/** The id of a question that this caller of the internal interface may know of. */
export function findBound(app: App, { bound }: Actor, id: string): string {
  const row = queries(app.db).find.get(id)
  if (!row || !mayKnow(bound, row)) throw problem('not_found', { field: 'queryId' })
  return row.id
}
