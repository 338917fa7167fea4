import type { ApprovalKind, ApprovalStatus } from '#contract/approvals'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  crew_id: string | null
  agent_id: string | null
  mission_id: string | null
  requested_by: string | null
  kind: ApprovalKind
  reason: string
  payload_json: string
  status: ApprovalStatus
  decided_by: string | null
  decided_at: string | null
  decision_comment: string | null
  timeout_at: string | null
  created_at: string
  /** Name of who decided. */
  decider: string | null
}

const columns = `p.id, p.workspace_id, p.crew_id, p.agent_id, p.mission_id, p.requested_by, p.kind, p.reason, p.payload_json, p.status, p.decided_by, p.decided_at,
  p.decision_comment, p.timeout_at, p.created_at, u.full_name AS decider`
const tables = 'approvals p LEFT JOIN users u ON u.id = p.decided_by'

interface Window {
  workspace: string
  limit: number
  offset: number
}

interface Settled {
  id: string
  status: ApprovalStatus
  user: string | null
  comment: string | null
  now: string
}

type NewRow = Omit<Row, 'status' | 'decider' | `decided_${string}` | 'decision_comment'>

export const queries = statements((db) => ({
  list: db.prepare<Window, Row>(
    `SELECT ${columns} FROM ${tables} WHERE p.workspace_id = @workspace
      ORDER BY p.created_at DESC, p.id DESC LIMIT @limit OFFSET @offset`,
  ),
  listOf: db.prepare<Window & { status: string }, Row>(
    `SELECT ${columns} FROM ${tables} WHERE p.workspace_id = @workspace AND p.status = @status
      ORDER BY p.created_at DESC, p.id DESC LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM ${tables} WHERE p.workspace_id = ? AND p.id = ?`,
  ),
  insert: db.prepare<NewRow>(
    `INSERT INTO approvals (id, workspace_id, crew_id, agent_id, mission_id, requested_by, kind, reason, payload_json,
      status, timeout_at, created_at)
     VALUES (@id, @workspace_id, @crew_id, @agent_id, @mission_id, @requested_by, @kind, @reason, @payload_json,
     'pending', @timeout_at, @created_at)`,
  ),
  /** Nothing when somebody was quicker. */
  settle: db.prepare<Settled, { id: string }>(
    `UPDATE approvals SET status = @status, decided_by = @user, decided_at = @now, decision_comment = @comment
      WHERE id = @id AND status = 'pending' RETURNING id`,
  ),
  due: db.prepare<{ now: string; most: number }, Row>(
    `SELECT ${columns} FROM ${tables} WHERE p.status = 'pending' AND p.timeout_at <= @now
      ORDER BY p.timeout_at LIMIT @most`,
  ),
  next: db.prepare<[], { at: string | null }>(
    "SELECT timeout_at AS at FROM approvals WHERE status = 'pending' AND timeout_at > '' ORDER BY timeout_at LIMIT 1",
  ),
  asked: db.prepare<{ workspace: string; by: string }, { n: number }>(
    "SELECT count(*) AS n FROM approvals WHERE workspace_id = @workspace AND status = 'pending' AND requested_by = @by",
  ),
  /** Open requests about agents that are gone. */
  orphans: db.prepare<{ most: number }, Row>(
    `SELECT ${columns} FROM ${tables} JOIN agents a ON a.id = p.agent_id
      WHERE p.status = 'pending' AND a.deleted_at IS NOT NULL ORDER BY p.timeout_at LIMIT @most`,
  ),
}))

export const scans = { orphans: 'looks at the open requests alone, when something is deleted' }
