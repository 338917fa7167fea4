import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import type { Row } from './queries.ts'

/** What every record of a request says of it. */
export const aboutOf = (row: Row) => ({
  request_id: row.id,
  request_type: row.request_type,
  ...(row.credential_id && { credential_id: row.credential_id }),
  ...(row.credential_name && { credential_name: row.credential_name }),
  ...(row.security_level && { security_level: row.security_level }),
  intent: row.intent,
  ...(row.task_id && { task_id: row.task_id }),
  ...(row.command && { command: row.command }),
})

const placeOf = (row: Row) => ({
  workspace_id: row.workspace_id,
  ...(row.crew_id && { crew_id: row.crew_id }),
  ...(row.agent_id && { agent_id: row.agent_id }),
  ...(row.run_id && { trace_id: row.run_id }),
  refs: { keeper_request_id: row.id, ...(row.credential_id && { credential_id: row.credential_id }) },
})

export const requestFact = (row: Row, by: Actor) =>
  fact('keeper.request', aboutOf(row), { ...placeOf(row), ...actorOf(by) })

/** A null `by` is the judge. */
export function decisionFact(row: Row, by: Actor | null) {
  const decision = row.decision as 'ALLOW' | 'WARN' | 'DENY' | 'ESCALATE'
  const payload = {
    ...aboutOf(row),
    decision,
    reason: row.reason ?? '',
    risk_score: row.risk_score ?? 10,
    rule: row.rule ?? '',
  }
  return fact('keeper.decided', payload, {
    ...placeOf(row),
    ...(by ? actorOf(by) : { actor_type: 'keeper' as const }),
    severity: decision === 'DENY' ? 'warn' : 'notice',
  })
}

export const selfApprovalFact = (row: Row, by: Actor, reason: string) =>
  fact(
    'keeper.self_approval',
    { ...aboutOf(row), decision: 'DENY', reason, rule: 'second_approver', initiator_known: row.initiator !== null },
    { ...placeOf(row), ...actorOf(by) },
  )

/** Tells those who watch the judge of a workspace. */
export const broadcast = (app: App, row: Row): void =>
  app.broadcast({
    channel: `keeper:${row.workspace_id}`,
    type: 'keeper_event',
    payload: {
      request_id: row.id,
      request_type: row.request_type,
      agent_name: row.agent_name,
      credential_name: row.credential_name,
      intent: row.intent,
      ...(row.command && { command: row.command }),
      decision: row.decision,
      reason: row.reason,
      risk_score: row.risk_score,
      ...(row.exit_code !== null && { exit_code: row.exit_code }),
      decided_at: row.decided_at,
    },
  })
