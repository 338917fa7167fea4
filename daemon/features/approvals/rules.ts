import type { Static } from 'typebox'
import type { Approval } from '#contract/approvals'
import type { Row } from './queries.ts'

type Shown = Static<typeof Approval>

/** An approval as clients see it. */
export function present({ payload_json, decider: _, requested_by, ...row }: Row): Shown {
  const payload = JSON.parse(payload_json) as Record<string, unknown>
  return {
    ...row,
    ...(requested_by !== null && { requested_by }),
    payload,
    comment: row.decision_comment,
    ...pascal(row, requested_by, payload),
  }
}

/** The same members, spelled as the first clients read them. */
const pascal = (
  row: Omit<Row, 'payload_json' | 'decider' | 'requested_by'>,
  requested_by: string | null,
  payload: Record<string, unknown>,
) => ({
  ID: row.id,
  WorkspaceID: row.workspace_id,
  CrewID: row.crew_id ?? '',
  AgentID: row.agent_id ?? '',
  MissionID: row.mission_id ?? '',
  RequestedBy: requested_by ?? '',
  Kind: row.kind,
  Reason: row.reason,
  Payload: payload,
  Status: row.status,
  DecidedBy: row.decided_by ?? '',
  DecidedAt: row.decided_at,
  DecisionComment: row.decision_comment ?? '',
  TimeoutAt: row.timeout_at,
  CreatedAt: row.created_at,
  TimeoutSecs: 0,
})
