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
  answer_deadline_at: string
  agent_gave_up_at: string | null
  credential_id: string | null
  from_name: string
  from_slug: string
  /** Who made the agent; null when that is not on record. */
  initiator: string | null
  /** Whether that person may not decide alone about what is offered. */
  second_approver: number
  /** Name of who settled it; null when nobody did. */
  decider: string | null
}

const columns = `e.id, e.workspace_id, e.crew_id, e.from_agent_id, e.chat_id, e.run_id, e.type, e.reason, e.context, e.metadata, e.status, e.resolution, e.action,
  e.redirect_to, e.resolved_by, e.resolved_by_user_id, e.resolved_at, e.created_at, e.deadline_at,
  e.answer_deadline_at, e.agent_gave_up_at, e.credential_id,
  a.name AS from_name, a.slug AS from_slug, a.created_by_user_id AS initiator,
  w.require_second_approver AS second_approver,
  u.full_name AS decider`
const tables =
  'escalations e JOIN agents a ON a.id = e.from_agent_id JOIN workspaces w ON w.id = e.workspace_id LEFT JOIN users u ON u.id = e.resolved_by_user_id'

interface NewRow {
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
  answer_deadline_at: string
}

interface Settled {
  id: string
  status: EscalationStatus
  resolution: string | null
  action: EscalationAction | null
  redirect_to: string | null
  by: 'user' | 'system'
  user: string | null
  now: string
}

interface Window {
  crew: string
  limit: number
  offset: number
}

export const queries = statements((db) => ({
  list: db.prepare<Window, Row>(
    `SELECT ${columns} FROM ${tables} WHERE e.crew_id = @crew
      ORDER BY e.created_at DESC, e.id DESC LIMIT @limit OFFSET @offset`,
  ),
  listOf: db.prepare<Window & { status: EscalationStatus }, Row>(
    `SELECT ${columns} FROM ${tables} WHERE e.crew_id = @crew AND e.status = @status
      ORDER BY e.created_at DESC, e.id DESC LIMIT @limit OFFSET @offset`,
  ),
  pending: db.prepare<[workspace: string], { count: number }>(
    "SELECT count(*) AS count FROM escalations WHERE workspace_id = ? AND status = 'PENDING'",
  ),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM ${tables} WHERE e.workspace_id = ? AND e.id = ?`,
  ),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} FROM ${tables} WHERE e.id = ?`),
  ofCall: db.prepare<[call: string], Row>(`SELECT ${columns} FROM ${tables} WHERE e.call_id = ?`),
  open: db.prepare<[agent: string], { n: number }>(
    "SELECT count(*) AS n FROM escalations WHERE from_agent_id = ? AND status = 'PENDING'",
  ),
  insert: db.prepare<NewRow>(
    `INSERT INTO escalations (id, workspace_id, crew_id, from_agent_id, chat_id, run_id, call_id, type, reason,
      context, metadata, status, credential_id,
       created_at, deadline_at, answer_deadline_at)
     VALUES (@id, @workspace_id, @crew_id, @from_agent_id, @chat_id, @run_id, @call_id, @type, @reason, @context,
     @metadata, 'PENDING', @credential_id,
       @now, @deadline_at, @answer_deadline_at)`,
  ),
  /** Nothing when somebody was quicker. */
  settle: db.prepare<Settled, { id: string }>(
    `UPDATE escalations SET status = @status, resolution = @resolution, action = @action, redirect_to = @redirect_to,
      resolved_by = @by,
       resolved_by_user_id = @user, resolved_at = @now
     WHERE id = @id AND status = 'PENDING' RETURNING id`,
  ),
  giveUp: db.prepare<{ id: string; now: string }, { id: string }>(
    "UPDATE escalations SET agent_gave_up_at = @now WHERE id = @id AND status = 'PENDING' AND agent_gave_up_at IS NULL RETURNING id",
  ),
  comeBack: db.prepare<{ id: string; now: string }>(
    "UPDATE escalations SET agent_gave_up_at = NULL WHERE id = @id AND status = 'PENDING' AND deadline_at > @now",
  ),
  due: db.prepare<{ now: string; workspace: string | null; most: number }, Row>(
    `SELECT ${columns} FROM ${tables} WHERE e.status = 'PENDING' AND e.answer_deadline_at <= @now
      AND (@workspace IS NULL OR e.workspace_id = @workspace) ORDER BY e.answer_deadline_at LIMIT @most`,
  ),
  next: db.prepare<[], { at: string }>(
    "SELECT answer_deadline_at AS at FROM escalations WHERE status = 'PENDING' ORDER BY answer_deadline_at LIMIT 1",
  ),
  pendingOfCrew: db.prepare<[crew: string], Row>(
    `SELECT ${columns} FROM ${tables} WHERE e.crew_id = ? AND e.status = 'PENDING'`,
  ),
  /** Open questions of agents that are gone, or have no crew any more that they could be asked in. */
  orphans: db.prepare<{ most: number }, Row>(
    `SELECT ${columns} FROM ${tables} JOIN crews c ON c.id = e.crew_id
     WHERE e.status = 'PENDING' AND (a.deleted_at IS NOT NULL OR c.deleted_at IS NOT NULL OR w.deleted_at IS NOT NULL)
     ORDER BY e.answer_deadline_at LIMIT @most`,
  ),
  purge: db.prepare<[crew: string]>('DELETE FROM escalations WHERE crew_id = ?'),
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

export const scans = {
  next: 'ends at the first open question',
  orphans: 'looks at the open questions alone, when something is deleted',
}
