import type { DecisionState } from '#contract/decisions'
import type { EscalationAction, EscalationStatus, EscalationType } from '#contract/escalations'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  crew_id: string
  from_agent_id: string
  chat_id: string | null
  run_id: string | null
  type: EscalationType
  reason: string
  context: string | null
  metadata: string | null
  status: EscalationStatus
  /** Sealed for a CREDENTIAL. */
  resolution: string | null
  action: EscalationAction | null
  redirect_to: string | null
  resolved_by: 'user' | 'system' | null
  resolved_by_user_id: string | null
  resolved_at: string | null
  created_at: string
  deadline_at: string
  answer_deadline_at: string | null
  agent_gave_up_at: string | null
  credential_id: string | null
  from_name: string
  from_slug: string
  /** The person who created the agent; null when unknown. */
  initiator: string | null
  /** Whether that person may not decide alone about what is offered. */
  second_approver: number
  /** The question of another agent that it was answering. */
  peer_conversation_id: string | null
  /** Name of the person who settled it; null when nobody did. */
  decider: string | null
}

const columns = `e.id, e.workspace_id, e.crew_id, e.from_agent_id, e.chat_id, e.run_id, e.type, e.reason, e.context,
  e.metadata,
  CASE d.state WHEN 'open' THEN 'PENDING' WHEN 'decided' THEN 'RESOLVED' WHEN 'expired' THEN 'EXPIRED'
    ELSE 'CANCELLED' END AS status,
  e.resolution, CASE d.state WHEN 'decided' THEN d.outcome END AS action, e.redirect_to,
  CASE WHEN d.state <> 'open' THEN iif(d.settled_by_user_id IS NULL, 'system', 'user') END AS resolved_by,
  d.settled_by_user_id AS resolved_by_user_id, d.settled_at AS resolved_at, e.created_at, e.deadline_at,
  (SELECT p.id FROM peer_conversations p WHERE p.run_id = e.run_id) AS peer_conversation_id,
  d.deadline_at AS answer_deadline_at, e.agent_gave_up_at, e.credential_id,
  a.name AS from_name, a.slug AS from_slug, a.created_by_user_id AS initiator,
  w.require_second_approver AS second_approver,
  u.full_name AS decider`
const tables = `escalations e JOIN decisions d ON d.id = e.id JOIN agents a ON a.id = e.from_agent_id
  JOIN workspaces w ON w.id = e.workspace_id LEFT JOIN users u ON u.id = d.settled_by_user_id`
/** A list is read in the order of the decisions, so that only its window is. */
const listed = `decisions d CROSS JOIN escalations e ON e.id = d.id JOIN agents a ON a.id = e.from_agent_id
  JOIN workspaces w ON w.id = e.workspace_id LEFT JOIN users u ON u.id = d.settled_by_user_id`

/** The state of a decision that a status is. */
export const stateOf = {
  PENDING: 'open',
  RESOLVED: 'decided',
  EXPIRED: 'expired',
  CANCELLED: 'withdrawn',
} as const satisfies Record<EscalationStatus, DecisionState>

export interface NewRow {
  id: string
  workspace_id: string
  crew_id: string
  from_agent_id: string
  chat_id: string | null
  run_id: string | null
  call_id: string | null
  type: EscalationType
  reason: string
  context: string | null
  metadata: string | null
  credential_id: string | null
  now: string
  deadline_at: string
}

interface Window {
  crew: string
  limit: number
  offset: number
}

export const queries = statements((db) => ({
  list: db.prepare<Window, Row>(
    `SELECT ${columns} FROM ${listed} WHERE d.crew_id = @crew AND d.kind = 'escalation'
      ORDER BY d.created_at DESC, d.id DESC LIMIT @limit OFFSET @offset`,
  ),
  /** Of the statuses that existing clients know. */
  listKnown: db.prepare<Window, Row>(
    `SELECT ${columns} FROM ${listed} WHERE d.crew_id = @crew AND d.kind = 'escalation'
      AND +d.state IN ('open', 'decided') ORDER BY d.created_at DESC, d.id DESC LIMIT @limit OFFSET @offset`,
  ),
  listOf: db.prepare<Window & { state: DecisionState }, Row>(
    `SELECT ${columns} FROM ${listed} WHERE d.crew_id = @crew AND d.kind = 'escalation' AND d.state = @state
      ORDER BY d.created_at DESC, d.id DESC LIMIT @limit OFFSET @offset`,
  ),
  pending: db.prepare<[workspace: string], { count: number }>(
    `SELECT count(*) AS count FROM decisions WHERE workspace_id = ? AND kind = 'escalation' AND state = 'open'`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM ${tables} WHERE e.workspace_id = ? AND e.id = ?`,
  ),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} FROM ${tables} WHERE e.id = ?`),
  ofCall: db.prepare<[call: string], Row>(`SELECT ${columns} FROM ${tables} WHERE e.call_id = ?`),
  insert: db.prepare<NewRow>(
    `INSERT INTO escalations (id, workspace_id, crew_id, from_agent_id, chat_id, run_id, call_id, type, reason,
      context, metadata, credential_id, created_at, deadline_at)
     VALUES (@id, @workspace_id, @crew_id, @from_agent_id, @chat_id, @run_id, @call_id, @type, @reason, @context,
      @metadata, @credential_id, @now, @deadline_at)`,
  ),
  answer: db.prepare<{ id: string; resolution: string | null; redirect_to: string | null }>(
    'UPDATE escalations SET resolution = @resolution, redirect_to = @redirect_to WHERE id = @id',
  ),
  giveUp: db.prepare<{ id: string; now: string }, { id: string }>(
    `UPDATE escalations SET agent_gave_up_at = @now WHERE id = @id AND agent_gave_up_at IS NULL
      AND (SELECT state FROM decisions WHERE id = @id) = 'open' RETURNING id`,
  ),
  comeBack: db.prepare<{ id: string; now: string }>(
    `UPDATE escalations SET agent_gave_up_at = NULL WHERE id = @id AND deadline_at > @now
      AND (SELECT state FROM decisions WHERE id = @id) = 'open'`,
  ),
  purge: db.prepare<[crew: string], { id: string }>('DELETE FROM escalations WHERE crew_id = ? RETURNING id'),
  agent: db.prepare<
    { workspace: string; crew: string; id: string | null; slug: string | null },
    { id: string; name: string; slug: string; status: string }
  >(
    `SELECT id, name, slug, status FROM agents WHERE workspace_id = @workspace AND crew_id = @crew
      AND deleted_at IS NULL AND (id = @id OR slug = @slug) LIMIT 1`,
  ),
  chatOf: db.prepare<[chat: string, agent: string], { id: string }>(
    'SELECT id FROM chats WHERE id = ? AND agent_id = ?',
  ),
}))
