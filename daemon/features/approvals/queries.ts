import type { ApprovalKind, ApprovalStatus } from '#contract/approvals'
import type { DecisionState } from '#contract/decisions'
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
  /** Name of the person who decided. */
  decider: string | null
}

const columns = `p.id, p.workspace_id, p.crew_id, p.agent_id, p.mission_id, p.requested_by, p.kind, p.reason,
  p.payload_json, CASE d.state WHEN 'open' THEN 'pending' WHEN 'decided' THEN d.outcome WHEN 'expired' THEN 'timeout'
    ELSE 'cancelled' END AS status,
  d.settled_by_user_id AS decided_by, d.settled_at AS decided_at, p.decision_comment, d.deadline_at AS timeout_at,
  p.created_at, u.full_name AS decider`
const tables = `decisions d CROSS JOIN approvals p ON p.id = d.id LEFT JOIN users u ON u.id = d.settled_by_user_id`

/** The decision's state for each status of an approval. */
export const stateOf = {
  pending: { state: 'open', outcome: null },
  approved: { state: 'decided', outcome: 'approved' },
  denied: { state: 'decided', outcome: 'denied' },
  timeout: { state: 'expired', outcome: null },
  cancelled: { state: 'withdrawn', outcome: null },
} as const satisfies Record<ApprovalStatus, { state: DecisionState; outcome: string | null }>

interface Window {
  workspace: string
  limit: number
  offset: number
}

type NewRow = Omit<Row, 'status' | 'decider' | 'timeout_at' | `decided_${string}` | 'decision_comment'>

export const queries = statements((db) => ({
  list: db.prepare<Window, Row>(
    `SELECT ${columns} FROM ${tables} WHERE d.workspace_id = @workspace AND d.kind = 'approval'
      ORDER BY d.created_at DESC, d.id DESC LIMIT @limit OFFSET @offset`,
  ),
  listOf: db.prepare<Window & { state: DecisionState; outcome: string | null }, Row>(
    `SELECT ${columns} FROM ${tables} WHERE d.workspace_id = @workspace AND d.kind = 'approval' AND d.state = @state
      AND (@outcome IS NULL OR d.outcome = @outcome)
      ORDER BY d.created_at DESC, d.id DESC LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM ${tables} WHERE d.workspace_id = ? AND d.id = ?`,
  ),
  insert: db.prepare<NewRow>(
    `INSERT INTO approvals (id, workspace_id, crew_id, agent_id, mission_id, requested_by, kind, reason, payload_json,
      created_at)
     VALUES (@id, @workspace_id, @crew_id, @agent_id, @mission_id, @requested_by, @kind, @reason, @payload_json,
      @created_at)`,
  ),
  /** A run, if it is the agent's. */
  runOf: db.prepare<[run: string, agent: string], { id: string }>('SELECT id FROM runs WHERE id = ? AND agent_id = ?'),
  comment: db.prepare<[comment: string, id: string]>('UPDATE approvals SET decision_comment = ? WHERE id = ?'),
  about: db.prepare<{ agent: string; kind: ApprovalKind }, { id: string }>(
    `SELECT d.id FROM decisions d CROSS JOIN approvals p ON p.id = d.id
      WHERE d.agent_id = @agent AND d.kind = 'approval' AND d.state = 'open' AND p.kind = @kind`,
  ),
  asked: db.prepare<{ workspace: string; by: string }, { n: number }>(
    `SELECT count(*) AS n FROM decisions d CROSS JOIN approvals p ON p.id = d.id
      WHERE d.workspace_id = @workspace AND d.kind = 'approval' AND d.state = 'open' AND p.requested_by = @by`,
  ),
  concerning: db.prepare<{ workspace: string; agent: string }, { n: number }>(
    `SELECT count(*) AS n FROM decisions d CROSS JOIN approvals p ON p.id = d.id
      WHERE d.workspace_id = @workspace AND d.kind = 'approval' AND d.state = 'open'
        AND (p.requested_by = @agent OR d.agent_id = @agent)`,
  ),
}))
