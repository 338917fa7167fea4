import type { Static } from 'typebox'
import type { Escalation } from '#contract/escalations'
import type { Row } from './queries.ts'

/** Replaces text that people must not read. */
export const masked = '********'

/** Whether the agent that asked has not gone on without an answer, at this time (RFC 3339). */
export const isThere = ({ agent_gave_up_at, deadline_at }: Row, now: string): boolean =>
  agent_gave_up_at === null && deadline_at > now

/** Whether the agent still waits for an answer. */
export const isWaiting = (row: Row, now: string): boolean => row.status === 'PENDING' && isThere(row, now)

/** Of an offered secret: whether its initiator may not decide alone. This version knows no tiers of credentials. */
export const secondApprover = ({ type, second_approver }: Pick<Row, 'type' | 'second_approver'>) =>
  type === 'CREDENTIAL' && {
    second_approver_required: second_approver === 1,
    second_approver_by_workspace: second_approver === 1,
    second_approver_by_tier: false,
  }

/** A question as members see it. */
export const present = (row: Row): Static<typeof Escalation> => ({
  id: row.id,
  crew_id: row.crew_id,
  type: row.type,
  from_name: row.from_name,
  from_slug: row.from_slug,
  reason: row.reason,
  context: row.context,
  metadata: row.metadata,
  peer_conversation_id: row.peer_conversation_id,
  chat_id: row.chat_id,
  status: row.status,
  resolution: shownResolution(row),
  action: row.action,
  redirect_to: row.redirect_to,
  resolved_by: row.resolved_by,
  resolved_by_user_id: row.resolved_by_user_id,
  resolved_at: row.resolved_at,
  created_at: row.created_at,
  credential_id: row.credential_id,
  deadline_at: row.deadline_at,
  answer_deadline_at: row.answer_deadline_at,
  agent_gave_up_at: row.agent_gave_up_at,
  ...secondApprover(row),
})

/** The answer to an offered secret may hold one. */
export const shownResolution = ({ type, resolution }: Pick<Row, 'type' | 'resolution'>): string | null =>
  resolution === null ? null : type === 'CREDENTIAL' ? masked : resolution

/** One line for titles, as long as people read. */
export function headline(text: string, most = 120): string {
  const line = text.trim().split(/\s*\n\s*/)[0]!
  const characters = [...line]
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`
}

/**
 * The address of a LINK, as it was given; null when it is not an https one. What a parser would read past is refused:
 * it can part a secret.
 */
export function linkOf(metadata: unknown): string | null {
  const text = typeof metadata === 'string' ? metadata : (metadata as { url?: unknown } | undefined)?.url
  if (typeof text !== 'string') return null
  const given = text.trim()
  if (given.length > 2048 || /[\s\p{C}\\]/u.test(given) || !URL.canParse(given)) return null
  const { protocol, username, password } = new URL(given)
  return protocol === 'https:' && !username && !password ? given : null
}

/** Where a question stands, for the journal. */
export const stateNames = {
  PENDING: 'pending',
  RESOLVED: 'resolved',
  EXPIRED: 'expired',
  CANCELLED: 'cancelled',
} as const
