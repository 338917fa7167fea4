import { type Fact, fact, type Payload } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import type { Decision, Ending } from '../decisions/service.ts'
import { queries, type Row } from './queries.ts'
import { isThere, shownResolution, stateNames } from './rules.ts'

const events = { PENDING: 'created', RESOLVED: 'resolved', EXPIRED: 'expired', CANCELLED: 'cancelled' } as const

/** Tells the workspace and the chat where a question stands. */
export function broadcast(app: App, row: Row): void {
  const event = events[row.status]
  const { id, crew_id, from_slug, reason, action } = row
  const payload = {
    id,
    crew_id,
    from_slug,
    agent_slug: from_slug,
    ...(event === 'created' && { reason }),
    ...(event === 'resolved' && { action }),
  }
  app.broadcast({ channel: `workspace:${row.workspace_id}`, type: `escalation.${event}`, payload })
  if (row.chat_id) app.broadcast({ channel: `session:${row.chat_id}`, type: `escalation_${event}`, payload })
}

const nameOf = ({ db }: App, { workspace_id: workspace, crew_id: crew }: Row, slug: string): string =>
  queries(db).agent.get({ workspace, crew, id: null, slug })?.name ?? slug

type Told = Payload<'peer.escalation'>

/** Records the state of a question. A null `actor` is Muster itself. */
export function factOf(app: App, row: Row, actor: Actor | null, more: Partial<Told>): Fact<'peer.escalation'> {
  const resolution = shownResolution(row)
  const payload: Told = {
    state: stateNames[row.status],
    reason: row.reason,
    ...(row.context && { context: row.context }),
    escalation_type: row.type,
    from_slug: row.from_slug,
    ...(resolution && { resolution }),
    ...(row.action && { action: row.action }),
    ...(row.redirect_to && { redirect_to: row.redirect_to, redirect_to_name: nameOf(app, row, row.redirect_to) }),
    ...(row.agent_gave_up_at && { agent_gave_up_at: row.agent_gave_up_at }),
    ...more,
  }
  return fact('peer.escalation', payload, {
    workspace_id: row.workspace_id,
    crew_id: row.crew_id,
    agent_id: row.from_agent_id,
    severity: row.status === 'PENDING' || row.status === 'EXPIRED' ? 'warn' : 'notice',
    ...actorOf(actor),
    ...(row.run_id && { trace_id: row.run_id }),
    refs: { escalation_id: row.id, ...(row.chat_id && { chat_id: row.chat_id }) },
  })
}

export function endOf(app: App, { id }: Decision, { actor, comment, now }: Ending): Fact {
  const row = queries(app.db).byId.get(id)!
  return factOf(app, row, actor, {
    agent_still_waiting: isThere(row, now),
    ...(!actor && { auto_resolved: true }),
    ...(comment && { cancel_reason: comment }),
  })
}
