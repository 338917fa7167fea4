import type { Static } from 'typebox'
import { agentWaitsSeconds, type Escalation, type escalations } from '#contract/escalations'
import { type App, wholeSeconds } from '#kernel/app'
import { mayKnow } from '#kernel/auth/internal'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull, pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { propose, readProposal } from '../credentials/proposals/service.ts'
import { findCrew } from '../crews/service.ts'
import { open, openOf, settleDue } from '../decisions/service.ts'
import { policyOf } from '../policies/service.ts'
import { checkOpen } from '../runs/chains/service.ts'
import { findRun } from '../runs/service.ts'
import { escalation } from './kind.ts'
import { type NewRow, queries, type Row, stateOf } from './queries.ts'
import { headline, linkOf, present } from './rules.ts'
import { broadcast, factOf } from './telling.ts'

export { waitForAnswer } from './waiting.ts'

type Shown = Static<typeof Escalation>

/** Open questions of one agent: a loop must not fill the inbox. */
const openAtMost = 20

export async function list(app: App, { actor, crewId, query }: Call<typeof escalations.list>): Promise<Shown[]> {
  findCrew(app, actor.workspace, crewId)
  await settleDue(app)
  const window = { crew: crewId, ...pageOf(query, { fallback: 50, max: 100 }) }
  const { list, listKnown, listOf } = queries(app.db)
  const { status } = query
  if (!status) return listKnown.all(window).map(present)
  return (status === 'all' ? list.all(window) : listOf.all({ ...window, state: stateOf[status] })).map(present)
}

export async function pending(app: App, { actor }: Call<typeof escalations.pending>): Promise<{ count: number }> {
  await settleDue(app)
  return queries(app.db).pending.get(actor.workspace)!
}

/** How many questions of an agent are open. */
export const openQuestions = (app: App, agent: string): number => openOf(app, escalation, agent)

/** A question of the workspace; foreign and absent ones answer alike. */
export function find(app: App, workspace: string, id: string): Row {
  const row = queries(app.db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such escalation' })
  return row
}

export async function show(app: App, { actor, escalationId }: Call<typeof escalations.show>): Promise<Shown> {
  await settleDue(app)
  return present(find(app, actor.workspace, escalationId))
}

type Asked = Call<typeof escalations.create>['body']

/** Puts an agent's question before people, or finds the one that it asked in this call before. */
export function create(app: App, { actor, body, now }: Call<typeof escalations.create>) {
  const agent = askerOf(app, body)
  const known = body.call_id ? queries(app.db).ofCall.get(body.call_id) : undefined
  if (known) {
    if (known.from_agent_id !== agent.id) throw problem('not_found', { field: 'call_id' })
    queries(app.db).comeBack.run({ id: known.id, now })
    return promised(known)
  }
  checkOpen(app, body.run_id ? findRun(app, body.run_id) : undefined, 'use ask_human, or say it in your answer')
  // At every level agents may ask people; a stored policy that is not valid permits nothing.
  const { level } = policyOf(app, body.workspace_id, body.crew_id)
  if (openOf(app, escalation, agent.id) >= openAtMost)
    throw problem('rate_limited', {
      detail: `${openAtMost} of your questions are still open. Go on without an answer, or wait.`,
    })
  const row = store(app, agent, body, now)
  const asker = { ...actor, type: 'agent' as const, id: agent.id }
  app.journal(factOf(app, row, asker, { agent_still_waiting: true, autonomy_level: level }))
  broadcast(app, row)
  return promised(row)
}

/**
 * Puts a question before people in the name of an agent that does not wait for the answer: for a routine, which may
 * not offer credentials.
 */
export function raiseFor(app: App, body: Asked & { type: 'TEXT' | 'LINK' }): { escalation_id: string; status: string } {
  const agent = askerOf(app, body)
  if (openOf(app, escalation, agent.id) >= openAtMost)
    throw problem('rate_limited', { detail: `${openAtMost} questions of ${agent.name} are still open` })
  const row = store(app, agent, body, app.now(), 0)
  app.journal(factOf(app, row, null, { agent_still_waiting: false }))
  broadcast(app, row)
  return { escalation_id: row.id, status: row.status }
}

type Asker = ReturnType<typeof askerOf>

function askerOf(app: App, { workspace_id: workspace, crew_id: crew, agent_id, from_slug }: Asked) {
  if (!agent_id && !from_slug)
    throw problem('missing_field', { field: 'from_slug', detail: 'Say which agent asks: from_slug or agent_id' })
  const agent = queries(app.db).agent.get({ workspace, crew, id: agent_id ?? null, slug: agent_id ? null : from_slug! })
  if (!agent) throw problem('not_found', { field: agent_id ? 'agent_id' : 'from_slug' })
  return agent
}

function store(app: App, agent: Asker, body: Asked, now: string, waits = agentWaitsSeconds): Row {
  const { workspace_id, crew_id, call_id = null } = body
  const type = body.type!
  const reason = body.reason.trim()
  if (!reason) throw problem('missing_field', { field: 'reason', detail: 'Say what you need from people' })
  const { metadata, credential } = attached(app, agent.id, body, now)
  const row = {
    id: newId(app.clock()),
    workspace_id,
    crew_id,
    from_agent_id: agent.id,
    ...placeOf(app, agent.id, body),
    call_id,
    type,
    reason,
    context: blankToNull(body.context),
    metadata,
    credential_id: credential,
    now,
    deadline_at: wholeSeconds(app.clock() + waits * 1000),
  }
  queries(app.db).insert.run(row)
  open(app, escalation, { ...aboutOf(row), card: cardOf(agent, row), now })
  return queries(app.db).byId.get(row.id)!
}

/** Run and chat, as far as they are the agent's own. */
function placeOf(
  app: App,
  agent: string,
  { run_id, chat_id }: Asked,
): { run_id: string | null; chat_id: string | null } {
  const run = run_id ? findRun(app, run_id) : undefined
  const own = run?.agent_id === agent ? run : undefined
  const chat = own?.chat_id ?? chat_id ?? null
  if (chat && !queries(app.db).chatOf.get(chat, agent)) throw problem('not_found', { field: 'chat_id' })
  return { run_id: own?.id ?? null, chat_id: chat }
}

interface Attached {
  metadata: string | null
  credential: string | null
}

function attached(
  app: App,
  agent: string,
  { workspace_id: workspace, crew_id: crew, type, metadata }: Asked,
  now: string,
): Attached {
  if (type === 'TEXT')
    return {
      metadata: typeof metadata === 'object' ? JSON.stringify(metadata) : blankToNull(metadata),
      credential: null,
    }
  if (type === 'LINK') {
    const link = linkOf(metadata)
    if (link === null)
      throw problem('invalid_field', {
        field: 'metadata',
        detail: 'metadata of a LINK must be an https address of at most 2048 characters',
      })
    return { metadata: link, credential: null }
  }
  try {
    const proposal = readProposal(typeof metadata === 'string' ? JSON.parse(metadata) : (metadata ?? {}))
    const { id, name } = propose(app, { workspace, crew, agent, now }, proposal)
    const shown = { name, type: proposal.type ?? 'SECRET', provider: proposal.provider ?? 'NONE' }
    return { metadata: JSON.stringify(shown), credential: id }
  } catch (error) {
    throw ofMetadata(error)
  }
}

/** The member at fault lies within `metadata`; what is no JSON is not repeated, for it may hold the value. */
function ofMetadata(error: unknown): unknown {
  if (error instanceof SyntaxError)
    return problem('invalid_field', {
      field: 'metadata',
      detail: 'metadata must be JSON: {name, type, provider, value}',
    })
  if (!(error instanceof Problem) || !error.field || error.field.startsWith('metadata')) return error
  return problem(error.code, { detail: error.message, field: `metadata.${error.field}` })
}

type Stored = Omit<NewRow, 'call_id' | 'deadline_at'>

const aboutOf = ({ id, workspace_id, crew_id, from_agent_id, run_id, reason }: Stored) => ({
  id,
  workspace: workspace_id,
  asked: reason,
  crew: crew_id,
  agent: from_agent_id,
  run: run_id,
})

function cardOf(agent: Asker, row: Stored) {
  const body = [
    row.reason,
    row.context,
    row.type === 'LINK' && `<${row.metadata}>`,
    row.credential_id && `Offers the credential ${nameIn(row)}.`,
  ]
  return {
    title: `${agent.name} asks: ${headline(row.reason)}`,
    body: body.filter(Boolean).join('\n\n'),
    sender: { type: 'agent' as const, id: agent.id, name: agent.name },
    payload: () => ({
      crew_id: row.crew_id,
      ...(row.chat_id && { chat_id: row.chat_id }),
      ...(row.run_id && { run_id: row.run_id }),
      reason: row.reason,
      escalation_type: row.type,
      ...(row.credential_id && { has_pending_credential: true, credential_id: row.credential_id }),
    }),
  }
}

const nameIn = ({ metadata }: Stored): string => (JSON.parse(metadata!) as { name: string }).name

const promised = ({ id, status, deadline_at, answer_deadline_at }: Row) => ({
  escalation_id: id,
  status,
  deadline_at,
  timeout_seconds: agentWaitsSeconds,
  answer_deadline_at: answer_deadline_at!,
})

/** Whether this caller of the internal interface may know of the question. */
export function findBound(app: App, { bound }: Actor, id: string): Row {
  const row = queries(app.db).byId.get(id)
  if (!row || !mayKnow(bound, row)) throw problem('not_found', { field: 'escalationId' })
  return row
}
