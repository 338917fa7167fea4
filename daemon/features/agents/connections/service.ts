import type { agentConnections } from '#contract/crew-connections'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { openRequests, requestApproval } from '../../approvals/service.ts'
import { connectionBetween, connectionsOf, settleConnection, store } from '../../crews/connections/service.ts'
import { crewCalled } from '../../crews/service.ts'
import { leadOf } from '../leads/service.ts'
import { type AgentRow, agentsOfCrew, callerOf } from '../service.ts'

/** Requests of one agent that may be open at once, against loops. */
const openAtMost = 20

export function list(
  app: App,
  { body }: Call<typeof agentConnections.connectedCrews>,
): Reply<typeof agentConnections.connectedCrews> {
  const { crew_id } = callerOf(app, body)
  if (crew_id === null) return { crews: [] }
  const crews = connectionsOf(app, crew_id).map((row) => {
    const isFirst = row.from_crew_id === crew_id
    const both = row.direction === 'bidirectional'
    const there = row.status === 'ACTIVE'
    return {
      slug: isFirst ? row.to_crew_slug : row.from_crew_slug,
      name: isFirst ? row.to_crew_name : row.from_crew_name,
      status: row.status,
      may_send: there && (both || isFirst),
      may_receive: there && (both || !isFirst),
      agents: there ? agentsIn(app, isFirst ? row.to_crew_id : row.from_crew_id) : [],
    }
  })
  return { crews }
}

const agentsIn = (app: App, crew: string) =>
  agentsOfCrew(app, crew).map(({ slug, name, role_title }) => ({ slug, name, role_title }))

type Proposed = Call<typeof agentConnections.proposeConnection>

/** Asks people to connect crews: at every level, as with anything that docs/rules/policies.md does not name. */
export function propose(app: App, { body, now }: Proposed): Reply<typeof agentConnections.proposeConnection> {
  const { workspace_id: workspace, crew_id: crew, direction } = body
  const lead = leadOf(app, body)
  const other = crewCalled(app, workspace, body.to_crew)
  if (!other) throw problem('not_found', { field: 'to_crew', detail: 'There is no such crew' })
  const before = connectionBetween(app, crew, other.id)
  if (before) return { id: before.id, to_crew: other.slug, direction: before.direction, status: before.status }
  if (openRequests(app, workspace, lead.id) >= openAtMost)
    throw problem('rate_limited', { detail: 'You have asked for enough: work with what there is' })
  const by = { actor_type: 'agent', actor_id: lead.id } as const
  const ends = { from_crew_id: crew, to_crew_id: other.id, ...(direction && { direction }) }
  const made = store(app, { workspace, ...ends, status: 'PENDING_REVIEW', by, now })
  const approval_id = ask(app, lead, made, body, now)
  return { id: made.id, to_crew: other.slug, direction: made.direction, status: made.status, approval_id }
}

type Made = ReturnType<typeof store>

function ask(app: App, lead: AgentRow, made: Made, { workspace_id, crew_id, reason }: Proposed['body'], now: string) {
  const one = made.direction === 'unidirectional'
  const title = `${lead.name} wants crew ${made.from_crew_slug} connected with crew ${made.to_crew_slug}`
  const what = one
    ? `Crew ${made.from_crew_slug} could then hand work to crew ${made.to_crew_slug}.`
    : `Crews ${made.from_crew_slug} and ${made.to_crew_slug} could then hand work to each other.`
  const why = reason?.trim() || what
  return requestApproval(app, {
    workspace: workspace_id,
    crew: crew_id,
    agent: lead.id,
    by: lead.id,
    kind: 'autonomy_gate',
    reason: why,
    payload: { target: 'crew_connection', target_id: made.id, policy_action: 'crew_connection_create' },
    card: {
      title,
      body: why === what ? what : `${why}\n\n${what}`,
      sender: { type: 'agent', id: lead.id, name: lead.name },
    },
    now,
  })
}

type Review = Happened<
  'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.cancelled' | 'approval.orphaned'
>

/** Applies the decision on a connection. Throwing refuses the decision. */
export function settleProposal(app: App, { name, payload, about }: Review): void {
  const { kind, target, target_id } = payload
  if (kind !== 'autonomy_gate' || target !== 'crew_connection' || !target_id) return
  const granted = name === 'approval.granted'
  const done = settleConnection(app, about.workspace_id!, target_id, granted, acting(about))
  if (granted && !done)
    throw problem('approval_undecidable', { detail: 'The connection is gone, or people made it meanwhile' })
}
