import { type Acting, fact } from '#contract/entries'
import type { hires } from '#contract/hires'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { acting, type Happened } from '#kernel/facts'
import type { Call, Result } from '#kernel/feature'
import { type Problem, problem } from '#kernel/problem'
import { requestAbout, settleRequest } from '../../approvals/service.ts'
import { broadcast } from '../broadcasts.ts'
import { type AgentRow, findAgent } from '../service.ts'
import { queries } from './queries.ts'

type Review = Happened<'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.cancelled'>

/** Applies the decision on a hire. Throwing refuses the decision. */
export function settleHire(app: App, { name, payload, about }: Review): void {
  const { kind, target_id } = payload
  if (kind !== 'ephemeral_hire' || !target_id) return
  if (name !== 'approval.granted')
    return void end(app, target_id, name === 'approval.denied' ? 'agent.hire_denied' : 'agent.expired', acting(about))
  if (!admit(app, about.workspace_id!, target_id, acting(about)))
    throw problem('approval_undecidable', { detail: 'The hire is over, or was decided elsewhere' })
}

/** Lets a hired agent work; false when it does not wait for that any more. */
function admit(app: App, workspace: string, agentId: string, by: Acting): boolean {
  const row = queries(app.db).admit.get(workspace, agentId)
  if (!row) return false
  const { id, crew_id, slug, name } = row
  const about = { workspace_id: workspace, ...(crew_id && { crew_id }), agent_id: id, ...by }
  app.journal(fact('agent.hire_approved', { entity_id: id, name: slug, metadata: { crew_id, name } }, about))
  broadcast(app, workspace, 'agent.hire_approved', { id, crew_id, name })
  broadcast(app, workspace, 'agent.status', { agent_id: id, agent_slug: slug, agent_name: name, status: 'IDLE' })
  return true
}

/** Makes a ghost of a hired agent; its chats, runs and files stay. */
function end(app: App, agentId: string, what: 'agent.hire_denied' | 'agent.expired', by: Acting): void {
  const now = app.now()
  const row = queries(app.db).expire.get({ id: agentId, now })
  if (!row) return
  const { id, workspace_id, crew_id, slug, name } = row
  const about = { workspace_id, ...(crew_id && { crew_id }), agent_id: id, ...by }
  app.journal(fact(what, { entity_id: id, name: slug, metadata: { crew_id, name } }, about))
  broadcast(app, workspace_id, 'agent.expired', { id, crew_id, name, expired_at: now })
}

/** Makes ghosts of at most `most` agents whose time is over, and returns their number. */
export function expireHires(app: App, most: number): number {
  const due = queries(app.db).due.all({ now: app.now(), most })
  for (const { id } of due) end(app, id, 'agent.expired', { actor_type: 'system' })
  return due.length
}

/** The approval and this endpoint decide the same request: who comes second finds it settled. */
export function approveHire(
  app: App,
  { actor, agentId, now }: Call<typeof hires.approveHire>,
): Result<typeof hires.approveHire> {
  const settled = whySettled(findAgent(app, actor.workspace, agentId))
  if (settled) throw settled
  const request = requestAbout(app, agentId, 'ephemeral_hire')
  if (request && settleRequest(app, actor, { id: request, status: 'approved', now }))
    return whySettled(findAgent(app, actor.workspace, agentId))!
  if (!request) admit(app, actor.workspace, agentId, actorOf(actor))
  const { id, status, crew_id } = findAgent(app, actor.workspace, agentId)
  return { id, status, crew_id }
}

/** Why there is nothing to approve; null when there is. */
function whySettled({ ephemeral, expired_at, status }: AgentRow): Problem | null {
  const refused = (reason: string, detail: string) =>
    problem('hire_settled', { detail, extra: { reason, current_status: status } })
  if (!ephemeral) return refused('permanent', 'Nobody hired that agent: it is there to stay')
  if (expired_at !== null) return refused('expired', 'The hire is over; hire the agent again')
  return status === 'PENDING_REVIEW' ? null : refused('not_pending', `The agent does not wait for review: ${status}`)
}
