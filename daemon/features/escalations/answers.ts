import type { EscalationAction, EscalationStatus, escalations } from '#contract/escalations'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { type Problem, problem } from '#kernel/problem'
import { acceptProposal, refuseProposal } from '../credentials/proposals/service.ts'
import { findCrew } from '../crews/service.ts'
import { settle as settleItem } from '../inbox/service.ts'
import { queries, type Row } from './queries.ts'
import { isWaiting } from './rules.ts'
import { tell } from './telling.ts'
import { sealResolution, wake } from './waiting.ts'

interface Ending {
  status: Exclude<EscalationStatus, 'PENDING'>
  resolution?: string | null
  action?: EscalationAction
  redirect_to?: string | null
  /** Null: Muster itself. */
  actor: Actor | null
  now: string
}

const itemActions = { EXPIRED: 'expired', CANCELLED: 'cancelled' } as const

/**
 * Ends a question, with all that follows from it: the offered credential, the card, the record, the agent that waits.
 * The row
 * as it is then; null when somebody was quicker. Within a change.
 */
function end(
  app: App,
  before: Row,
  { status, resolution = null, action, redirect_to = null, actor, now }: Ending,
  more: Record<string, unknown> = {},
) {
  const person = actor?.type === 'user'
  const by = person ? ('user' as const) : ('system' as const)
  const { settle, byId } = queries(app.db)
  if (
    !settle.get({
      id: before.id,
      status,
      resolution,
      action: action ?? null,
      redirect_to,
      by,
      user: person ? actor.id : null,
      now,
    })
  )
    return null
  if (before.credential_id) {
    if (actor && action === 'approve')
      acceptProposal(app, actor, { id: before.credential_id, agent: before.from_agent_id, now })
    else refuseProposal(app, actor, before.credential_id, now)
  }
  const row = byId.get(before.id)!
  const settled = action ?? itemActions[status as keyof typeof itemActions]
  settleItem(app, {
    workspace: row.workspace_id,
    kind: 'escalation',
    source: row.id,
    action: settled,
    by: person ? actor.id : null,
    now,
  })
  tell(app, row, actor, { agent_still_waiting: isWaiting(before, now), ...more })
  wake(app, row.id)
  return row
}

const past = { approve: 'approved', reject: 'rejected', redirect: 'redirected' } as const

/** What happened before, for who comes too late. */
function settledBefore({ status, action, decider, resolved_at, answer_deadline_at }: Row): Problem {
  const who = decider ?? 'Muster'
  const what =
    status === 'RESOLVED'
      ? `${who} ${past[action ?? 'approve']} it at ${resolved_at}`
      : status === 'CANCELLED'
        ? `${who} withdrew it at ${resolved_at}`
        : `The time to answer was over at ${answer_deadline_at}`
  return problem('escalation_settled', {
    detail: what,
    extra: { settled: { status, action, resolved_by: decider, resolved_at } },
  })
}

/** The question as it may be decided now, or why not. The time that is over ends it on the way. Within a change. */
function open(app: App, actor: Actor, id: string, now: string): Row | Problem {
  const row = queries(app.db).find.get(actor.workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such escalation' })
  if (row.status === 'PENDING' && row.answer_deadline_at > now) return row
  // Returned, not thrown: that it ran out is to be kept.
  return settledBefore((row.status === 'PENDING' && end(app, row, { status: 'EXPIRED', actor: null, now })) || row)
}

export function resolve(app: App, { actor, escalationId, body, now }: Call<typeof escalations.resolve>) {
  const { action = 'approve' } = body
  const row = open(app, actor, escalationId, now)
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
  const after = end(app, row, { status: 'RESOLVED', resolution, action, redirect_to, actor, now })
  if (!after) throw settledBefore(queries(app.db).byId.get(row.id)!)
  const still = isWaiting(row, now)
  return {
    id: row.id,
    status: after.status,
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
 * when
 * that is unknown. Returned, not thrown: the attempt stands in the journal. Within a change.
 */
function refuseInitiator(app: App, actor: Actor, row: Row, action: EscalationAction): Problem | null {
  if (!row.second_approver || (row.initiator !== null && row.initiator !== actor.id)) return null
  const reason =
    row.initiator === null
      ? 'It is not on record who created this agent, so nobody can be the second one to decide'
      : 'You created this agent: somebody else has to decide about the secrets that it offers'
  app.journal({
    workspace_id: row.workspace_id,
    crew_id: row.crew_id,
    agent_id: row.from_agent_id,
    type: 'keeper.decision',
    severity: 'error',
    summary: `${action} by the one who created @${row.from_slug} was refused`,
    ...actorOf(actor),
    payload: {
      request_id: row.id,
      request_type: 'credential_escalation',
      credential_id: row.credential_id,
      decision: 'DENY',
      reason,
      rule: 'second_approver',
    },
    refs: { escalation_id: row.id, credential_id: row.credential_id },
  })
  return problem('second_approver_required', { detail: reason })
}

export function cancel(app: App, { actor, escalationId, body, now }: Call<typeof escalations.cancel>) {
  const row = open(app, actor, escalationId, now)
  if ('code' in row) return row
  const why = blankToNull(body?.reason)
  const after = end(app, row, { status: 'CANCELLED', actor, now }, why ? { cancel_reason: why } : {})
  if (!after) throw settledBefore(queries(app.db).byId.get(row.id)!)
  return { id: row.id, status: after.status }
}

/** Ends what nobody answered in time, at most so many; how many these were. Within a change. */
export function expireDue(app: App, most: number, workspace: string | null = null): number {
  const now = app.now()
  const due = queries(app.db).due.all({ now, workspace, most })
  for (const row of due) end(app, row, { status: 'EXPIRED', actor: null, now }, { auto_resolved: true })
  return due.length
}

/**
 * Withdraws the questions of agents, crews and workspaces that are gone, at most so many; how many these were. Within a
 * change.
 */
export function cancelOrphans(app: App, most: number): number {
  const rows = queries(app.db).orphans.all({ most })
  for (const row of rows)
    end(
      app,
      row,
      { status: 'CANCELLED', actor: null, now: app.now() },
      { auto_resolved: true, cancel_reason: 'The agent is gone' },
    )
  return rows.length
}

export function purge(app: App, { actor, crewId, now }: Call<typeof escalations.purge>) {
  const { slug } = findCrew(app, actor.workspace, crewId)
  for (const row of queries(app.db).pendingOfCrew.all(crewId))
    end(app, row, { status: 'CANCELLED', actor, now }, { cancel_reason: 'Deleted' })
  const { changes } = queries(app.db).purge.run(crewId)
  if (changes)
    app.journal({
      workspace_id: actor.workspace,
      crew_id: crewId,
      type: 'audit.entity_deleted',
      summary: `${changes} escalations of the crew ${slug} deleted`,
      ...actorOf(actor),
      payload: { action: 'delete', entity_type: 'escalation', metadata: { deleted: changes } },
    })
  return { deleted: changes }
}
