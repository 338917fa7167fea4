import type { AgentStatus } from '#contract/agents'
import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import { problem } from '#kernel/problem'
import { broadcast, named } from '../broadcasts.ts'
import { queries } from '../queries.ts'
import { retire } from '../removal/service.ts'
import { agentById } from '../service.ts'

/** Ends the review of an agent: it becomes IDLE or is deleted. False when it is not under review. */
function endReview(app: App, { workspace_id, ...by }: Acting & { workspace_id: string }, id: string, fits: boolean) {
  const row = queries(app.db).find.get(workspace_id, id)
  if (row?.status !== 'PENDING_REVIEW') return false
  const about = { workspace_id, ...(row.crew_id && { crew_id: row.crew_id }), agent_id: id, ...by }
  if (fits) {
    queries(app.db).setStatus.run('IDLE', id)
    const payload = { status: 'IDLE', prev: 'PENDING_REVIEW', details: 'approved' } as const
    app.journal(fact('agent.status_change', payload, about))
    broadcast(app, workspace_id, 'agent.status', { ...named(row), status: 'IDLE' })
    return true
  }
  retire(app, workspace_id, id)
  app.journal(fact('agent.deleted', { entity_id: id, name: row.slug, metadata: { with: 'review' } }, about))
  return true
}

type Review = Happened<'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.cancelled'>

/** Applies the decision on an agent under review. Throwing refuses the decision. */
export function settleReview(app: App, { name, payload, about }: Review): void {
  const { kind, target, target_id } = payload
  if (kind !== 'autonomy_gate' || target !== 'agent' || !target_id) return
  const granted = name === 'approval.granted'
  const done = endReview(app, { workspace_id: about.workspace_id!, ...acting(about) }, target_id, granted)
  if (granted && !done)
    throw problem('approval_undecidable', { detail: 'What this would let happen is gone, or was decided elsewhere' })
}

/**
 * Sets an agent's status after its runs, except while it waits for review; journals and broadcasts the change. False
 * when nothing changed.
 */
export function setStatus(
  app: App,
  agentId: string,
  status: Exclude<AgentStatus, 'PENDING_REVIEW'>,
  details?: string,
): boolean {
  const row = agentById(app, agentId)
  if (!row || row.status === status || row.status === 'PENDING_REVIEW') return false
  queries(app.db).setStatus.run(status, agentId)
  const payload = { status, prev: row.status, ...(details && { details }) }
  const { workspace_id, crew_id } = row
  const about = { workspace_id, ...(crew_id && { crew_id }), agent_id: agentId, actor_type: 'orchestrator' } as const
  app.journal(fact('agent.status_change', payload, about))
  broadcast(app, row.workspace_id, 'agent.status', { ...named(row), status })
  return true
}
