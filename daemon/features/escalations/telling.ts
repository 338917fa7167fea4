import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import type { Row } from './queries.ts'
import { headline, shownResolution, stateNames } from './rules.ts'

const events = { PENDING: 'created', RESOLVED: 'resolved', EXPIRED: 'expired', CANCELLED: 'cancelled' } as const

const sentences = {
  PENDING: ({ from_slug, reason }: Row) => `@${from_slug} asks: ${headline(reason)}`,
  RESOLVED: ({ from_slug, action }: Row) => `The question of @${from_slug} was answered: ${action}`,
  EXPIRED: ({ from_slug }: Row) => `Nobody answered @${from_slug} in time`,
  CANCELLED: ({ from_slug }: Row) => `The question of @${from_slug} was withdrawn`,
}

/**
 * Puts on record where a question stands, and tells the workspace and the chat. `actor` null: Muster itself. Within a
 * change.
 */
export function tell(app: App, row: Row, actor: Actor | null, more: Record<string, unknown> = {}): void {
  record(app, row, actor, { summary: sentences[row.status](row), more })
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

/** The entry alone. */
export function record(
  app: App,
  row: Row,
  actor: Actor | null,
  { summary, more }: { summary: string; more: Record<string, unknown> },
): void {
  const resolution = shownResolution(row)
  app.journal({
    workspace_id: row.workspace_id,
    crew_id: row.crew_id,
    agent_id: row.from_agent_id,
    type: 'peer.escalation',
    severity: row.status === 'PENDING' || row.status === 'EXPIRED' ? 'warn' : 'notice',
    summary,
    ...actorOf(actor),
    ...(row.run_id && { trace_id: row.run_id }),
    payload: {
      state: stateNames[row.status],
      reason: row.reason,
      ...(row.context && { context: row.context }),
      escalation_type: row.type,
      from_slug: row.from_slug,
      ...(resolution && { resolution }),
      ...(row.action && { action: row.action }),
      ...(row.redirect_to && { redirect_to: row.redirect_to }),
      ...(row.agent_gave_up_at && { agent_gave_up_at: row.agent_gave_up_at }),
      ...more,
    },
    refs: { escalation_id: row.id, ...(row.chat_id && { chat_id: row.chat_id }) },
  })
}
