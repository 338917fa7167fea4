import type { Reply } from '#contract/define'
import type { keeper } from '#contract/keeper'
import type { KeeperRequestType } from '#contract/keeper-requests'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { type AgentRow, agentById } from '../../agents/service.ts'
import { type Askable, askable } from '../../credentials/leases/service.ts'
import { openOf } from '../../decisions/service.ts'
import { keeperRequest } from './kind.ts'
import { type NewRow, queries, type Row } from './queries.ts'
import { requestFact } from './telling.ts'

export type Answer = Reply<typeof keeper.request>

/** What an agent asks for, once it is known who asks for what. */
export interface Asking {
  row: Row
  wanted: Askable
  /** It was asked before and is open: this call adds nothing. */
  known: boolean
}

/** Requests of one agent that people have yet to decide. */
const openAtMost = 20

interface Asked {
  workspace_id: string
  crew_id?: string
  agent_id?: string
  requesting_agent_id?: string
  requesting_crew_id?: string
  run_id?: string | null
  chat_id?: string | null
  credential_id?: string
  credential_name?: string
  task_id?: string | null
  intent: string
}

/** Whether something else is named than what it is; naming nothing is no other. */
const isOther = (given: string | null | undefined, own: string | null | undefined): boolean =>
  given != null && given !== own

/** The agent that asks: what the sidecar says of it comes before what the request says. */
export function askerOf(app: App, { type, bound }: Actor, asked: Asked): AgentRow & { crew_id: string } {
  const id = asked.agent_id ?? asked.requesting_agent_id
  const crew = asked.crew_id ?? asked.requesting_crew_id
  if (!id) throw problem('missing_field', { field: 'requesting_agent_id', detail: 'Say which agent asks' })
  const agent = agentById(app, id)
  const isPerson = type === 'user'
  if (!agent || agent.workspace_id !== asked.workspace_id || agent.expired_at !== null)
    throw problem(isPerson ? 'not_found' : 'unknown_agent', { field: 'requesting_agent_id' })
  if (
    !agent.crew_id ||
    isOther(crew, agent.crew_id) ||
    isOther(bound?.crew, agent.crew_id) ||
    isOther(bound?.agent, id)
  )
    throw problem(isPerson ? 'not_found' : 'internal_token_rejected', {
      field: 'requesting_crew_id',
      detail: 'The agent belongs to another crew, or to none',
    })
  return agent as AgentRow & { crew_id: string }
}

/** The credential that is meant; foreign, unassigned, failed and absent ones answer alike. */
export function wantedOf(app: App, agent: AgentRow, { credential_id: id, credential_name: name }: Asked): Askable {
  if (!id && !name)
    throw problem('missing_field', { field: 'credential_name', detail: 'Say which: credential_id or credential_name' })
  const field = id ? 'credential_id' : 'credential_name'
  const found = askable(app, agent.id, { id: id || undefined, name })
  if (!found) throw problem('not_found', { field, detail: 'This agent has no such credential to ask for' })
  return found
}

interface Opening {
  type: KeeperRequestType
  agent: AgentRow & { crew_id: string }
  wanted: Askable
  asked: Asked
  command: string | null
  env_var: string | null
  by: Actor
  now: string
}

/** Stores a request and its record before anything decides it, or finds the same one that is open. */
export function open(app: App, { type, agent, wanted, asked, command, env_var, by, now }: Opening): Asking {
  const same = { agent: agent.id, credential: wanted.id, type, command, env_var }
  const before = queries(app.db).openSame.get(same)
  if (before?.decision === 'ESCALATE') return { row: before, wanted, known: true }
  if (before && type === 'execute') throw problem('keeper_in_flight', { extra: { request_id: before.id } })
  if (openOf(app, keeperRequest, agent.id) >= openAtMost)
    throw problem('rate_limited', {
      detail: `People have yet to decide ${openAtMost} requests of yours: go on without`,
    })
  const row = store(
    app,
    {
      workspace_id: agent.workspace_id,
      crew_id: agent.crew_id,
      agent_id: agent.id,
      credential_id: wanted.id,
      security_level: wanted.level,
      request_type: type,
      task_id: asked.task_id ?? null,
      run_id: asked.run_id ?? null,
      chat_id: asked.chat_id ?? null,
      call_id: null,
      intent: asked.intent.trim(),
      command,
      env_var,
    },
    { by, now },
  )
  return { row, wanted, known: false }
}

/** Stores what is to be judged, with its event and its entry: no decision stands without them. */
export function store(
  app: App,
  request: Omit<NewRow, 'id' | 'created_at'>,
  { by, now }: { by: Actor; now: string },
): Row {
  const id = newId(app.clock())
  queries(app.db).insert.run({ ...request, id, created_at: now })
  const row = queries(app.db).byId.get(id)!
  queries(app.db).addEvent.run({
    request_id: id,
    workspace_id: row.workspace_id,
    state: 'PENDING',
    reason: null,
    risk_score: null,
    exit_code: null,
    actor_type: by.type === 'user' ? 'user' : 'agent',
    actor_id: by.type === 'user' ? by.id : row.agent_id,
    recorded_at: now,
  })
  app.journal(requestFact(row, by))
  return row
}

/** The agent itself, where its sidecar calls, and the person, where one asks in its place. */
export const actingFor = (actor: Actor, agent: AgentRow): Actor =>
  actor.type === 'user' ? actor : { ...actor, type: 'agent', id: agent.id }

/** A request as its agent sees it; foreign and absent ones answer alike. */
export function requested(
  app: App,
  { actor, requestId }: Call<typeof keeper.requested>,
): Reply<typeof keeper.requested> {
  const row = queries(app.db).byId.get(requestId)
  const { bound } = actor
  if (
    !row?.agent_id ||
    isOther(bound?.workspace, row.workspace_id) ||
    isOther(bound?.crew, row.crew_id) ||
    isOther(bound?.agent, row.agent_id)
  )
    throw problem('not_found', { field: 'requestId' })
  return {
    id: row.id,
    requesting_agent_id: row.agent_id,
    requesting_crew_id: row.crew_id,
    credential_id: row.credential_id,
    intent: row.intent,
    decision: row.decision === 'PENDING' ? null : row.decision,
    reason: row.reason,
    risk_score: row.risk_score,
    created_at: row.created_at,
    decided_at: row.decided_at,
  }
}

/** What the agent is told. */
export const answerOf = ({ id, decision, reason, risk_score }: Row): Answer => ({
  request_id: id,
  decision,
  reason: reason ?? '',
  risk_score,
})
