import { fact } from '#contract/entries'
import type { EscalationAction, escalations } from '#contract/escalations'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { type Problem, problem } from '#kernel/problem'
import { findCrew } from '../crews/service.ts'
import { forget, isOpen, settle, withdrawOfKind } from '../decisions/service.ts'
import { escalation } from './kind.ts'
import { queries, type Row } from './queries.ts'
import { isWaiting } from './rules.ts'
import { sealResolution } from './waiting.ts'

const past = { approve: 'approved', reject: 'rejected', redirect: 'redirected' } as const

/** The earlier outcome, for those who answer too late. */
function settledBefore({ status, action, decider, resolved_at, answer_deadline_at }: Row): Problem {
  const who = decider ?? 'Muster'
  const what =
    status === 'RESOLVED'
      ? `${who} ${past[action!]} it at ${resolved_at}`
      : status === 'CANCELLED'
        ? `${who} withdrew it at ${resolved_at}`
        : `The time to answer was over at ${answer_deadline_at}`
  return problem('escalation_settled', {
    detail: what,
    extra: { settled: { status, action, resolved_by: decider, resolved_at } },
  })
}

/** The question if it can be decided now, otherwise the problem. */
function find(app: App, actor: Actor, id: string, now: string): Row | Problem {
  const { find, byId } = queries(app.db)
  const row = find.get(actor.workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such escalation' })
  // Returned, not thrown: the expiry must be committed.
  return isOpen(app, id, now) ? row : settledBefore(byId.get(id)!)
}

export function resolve(app: App, { actor, escalationId, body, now }: Call<typeof escalations.resolve>) {
  const action = body.action!
  const row = find(app, actor, escalationId, now)
  if ('code' in row) return row
  const redirect_to = targetOf(app, row, body)
  if (row.type === 'CREDENTIAL') {
    if (action === 'redirect')
      throw problem('invalid_field', { field: 'action', detail: 'An offered credential is approved or rejected' })
    if (actor.session?.stale) throw problem('step_up_required')
    const refused = refuseInitiator(app, actor, row, action)
    if (refused) return refused
  }
  const resolution = sealResolution(app, row, body.resolution)
  settle(app, row.id, { state: 'decided', outcome: action, actor, now, details: { resolution, redirect_to } })
  const still = isWaiting(row, now)
  return {
    id: row.id,
    status: 'RESOLVED' as const,
    action,
    agent_still_waiting: still,
    ...(row.agent_gave_up_at && { agent_gave_up_at: row.agent_gave_up_at }),
    ...(!still && { note: 'The agent waits no more: it went on without this answer.' }),
  }
}

function targetOf(
  app: App,
  row: Row,
  { action, redirect_to }: { action?: EscalationAction; redirect_to?: string },
): string | null {
  const slug = blankToNull(redirect_to)
  if (action !== 'redirect') {
    if (slug)
      throw problem('invalid_field', { field: 'redirect_to', detail: 'redirect_to belongs to the action redirect' })
    return null
  }
  if (!slug) throw problem('missing_field', { field: 'redirect_to', detail: 'Say to which agent of the crew' })
  const agent = queries(app.db).agent.get({ workspace: row.workspace_id, crew: row.crew_id, id: null, slug })
  if (!agent || agent.id === row.from_agent_id)
    throw problem('invalid_field', { field: 'redirect_to', detail: `The crew has no other agent "${slug}"` })
  return slug
}

/**
 * Where the workspace asks for it, who made the agent does not decide about the secrets that it offers, and nobody does
 * when that is unknown. Returned, not thrown: the attempt stands in the journal.
 */
function refuseInitiator(app: App, actor: Actor, row: Row, action: EscalationAction): Problem | null {
  if (!row.second_approver || (row.initiator !== null && row.initiator !== actor.id)) return null
  const reason =
    row.initiator === null
      ? 'It is not on record who created this agent, so nobody can be the second one to decide'
      : 'You created this agent: somebody else has to decide about the secrets that it offers'
  const payload = {
    request_id: row.id,
    request_type: 'credential_escalation',
    credential_id: row.credential_id,
    decision: 'DENY',
    reason,
    rule: 'second_approver',
    action,
    initiator_known: row.initiator !== null,
  } as const
  app.journal(
    fact('keeper.decision', payload, {
      workspace_id: row.workspace_id,
      crew_id: row.crew_id,
      agent_id: row.from_agent_id,
      ...actorOf(actor),
      refs: { escalation_id: row.id, credential_id: row.credential_id },
    }),
  )
  return problem('second_approver_required', { detail: reason })
}

export function cancel(app: App, { actor, escalationId, body, now }: Call<typeof escalations.cancel>) {
  const row = find(app, actor, escalationId, now)
  if ('code' in row) return row
  settle(app, row.id, { state: 'withdrawn', actor, now, comment: blankToNull(body?.reason) })
  return { id: row.id, status: 'CANCELLED' as const }
}

export function purge(app: App, { actor, crewId, now }: Call<typeof escalations.purge>) {
  findCrew(app, actor.workspace, crewId)
  withdrawOfKind(app, escalation, crewId, { actor, comment: 'Deleted', now })
  const ids = queries(app.db)
    .purge.all(crewId)
    .map(({ id }) => id)
  forget(app, escalation, crewId)
  const deleted = ids.length
  if (deleted)
    app.journal(
      fact(
        'escalations.purged',
        { metadata: { deleted } },
        { workspace_id: actor.workspace, crew_id: crewId, ...actorOf(actor) },
      ),
    )
  return { deleted }
}
