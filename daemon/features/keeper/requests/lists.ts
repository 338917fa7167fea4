import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { keeper } from '#contract/keeper'
import type { KeeperRequest } from '#contract/keeper-requests'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull, pageOf } from '#kernel/http/fields'
import { type Problem, problem } from '#kernel/problem'
import { tierOf } from '../../credentials/levels/service.ts'
import { isOpen, settle as settleDecision, settleDue } from '../../decisions/service.ts'
import { secondApproverRequired } from '../../workspaces/service.ts'
import { queries, type Row } from './queries.ts'
import { selfApprovalFact } from './telling.ts'

type Shown = Static<typeof KeeperRequest>

const present = (row: Row): Shown => ({
  id: row.id,
  agent_id: row.agent_id,
  agent_name: row.agent_name,
  crew_id: row.crew_id,
  credential_id: row.credential_id,
  credential_name: row.credential_name,
  security_level: row.security_level,
  intent: row.intent,
  request_type: row.request_type,
  ...(row.command !== null && { command: row.command }),
  decision: row.decision === 'PENDING' ? null : row.decision,
  reason: row.reason,
  risk_score: row.risk_score,
  ...(row.exit_code !== null && { exit_code: row.exit_code }),
  ...(row.rule !== null && { rule: row.rule }),
  ...(row.prompt !== null && { ollama_prompt: row.prompt }),
  ...(row.raw_response !== null && { ollama_raw_response: row.raw_response }),
  created_at: row.created_at,
  decided_at: row.decided_at,
  ...(row.judge_profile !== null && { judge_profile: row.judge_profile }),
})

export async function list(app: App, { actor, query }: Call<typeof keeper.requests>): Promise<Shown[]> {
  await settleDue(app)
  const filter = {
    workspace: actor.workspace,
    decision: query.decision || null,
    type: query.request_type || null,
    agent: query.agent_id || null,
  }
  return queries(app.db)
    .list.all({ ...filter, ...pageOf(query, { fallback: 50, max: 200 }) })
    .map(present)
}

function find(app: App, workspace: string, id: string): Row {
  const row = queries(app.db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such request' })
  return row
}

export async function show(app: App, { actor, requestId }: Call<typeof keeper.show>): Promise<Shown> {
  await settleDue(app)
  return present(find(app, actor.workspace, requestId))
}

export function history(app: App, { actor, requestId }: Call<typeof keeper.history>): Reply<typeof keeper.history> {
  const row = queries(app.db).find.get(actor.workspace, requestId)
  // What became of a request is known for longer than what was asked.
  if (!row && !queries(app.db).hasEvents.get(requestId, actor.workspace)) find(app, actor.workspace, requestId)
  const of = row && {
    request_type: row.request_type,
    ...(row.agent_id && { requesting_agent_id: row.agent_id }),
    ...(row.agent_name && { agent_name: row.agent_name }),
    ...(row.crew_id && { requesting_crew_id: row.crew_id }),
    ...(row.credential_id && { credential_id: row.credential_id }),
    ...(row.credential_name && { credential_name: row.credential_name }),
    intent: row.intent,
    ...(row.command && { command: row.command }),
  }
  return queries(app.db)
    .events.all(requestId)
    .map(({ reason, risk_score, exit_code, actor_id, ...event }) => ({
      ...of,
      ...event,
      ...(reason && { reason }),
      ...(risk_score !== null && { risk_score }),
      ...(exit_code !== null && { exit_code }),
      ...(actor_id && { actor_id }),
    }))
}

/** Decides what the judge put before people; the first one wins. */
export function resolve(app: App, { actor, requestId, body, now }: Call<typeof keeper.resolve>) {
  const row = find(app, actor.workspace, requestId)
  // Returned, not thrown: an expiry must be committed.
  if (!isOpen(app, row.id, now)) return settledBefore(queries(app.db).byId.get(row.id)!)
  const refused = body.decision === 'ALLOW' ? refuseInitiator(app, actor, row) : null
  if (refused) return refused
  settleDecision(app, row.id, {
    state: 'decided',
    outcome: body.decision,
    actor,
    now,
    comment: blankToNull(body.reason),
  })
  const after = queries(app.db).byId.get(row.id)!
  return {
    request_id: row.id,
    decision: after.decision,
    reason: after.reason ?? '',
    decided_at: after.decided_at ?? now,
  }
}

const settledBefore = ({ decision, decided_at }: Row): Problem =>
  problem('keeper_settled', {
    detail: decision === 'PENDING' ? 'It is being judged' : `${decision} at ${decided_at}`,
    extra: { settled: { decision, decided_at } },
  })

/**
 * Who made the agent does not allow it alone, where workspace or level ask for two. Returned, not thrown: the attempt
 * stands in the journal.
 */
function refuseInitiator(app: App, actor: Actor, row: Row): Problem | null {
  const two = secondApproverRequired(app, row.workspace_id) || tierOf(row.security_level ?? 4).secondApprover
  if (!two || (row.initiator !== null && row.initiator !== actor.id)) return null
  const reason =
    row.initiator === null
      ? 'It is not on record who created this agent, so nobody can be the second one to decide'
      : 'You created this agent: somebody else has to decide about the credentials that it asks for'
  app.journal(selfApprovalFact(row, actor, reason))
  return problem('second_approver_required', { detail: reason })
}

export function clear(app: App, { actor }: Call<typeof keeper.clear>): Reply<typeof keeper.clear> {
  const { clearEvents, clear: clearRequests } = queries(app.db)
  const deleted_events = clearEvents.run(actor.workspace).changes
  const deleted_requests = clearRequests.run(actor.workspace).changes
  if (deleted_requests)
    app.journal(
      fact(
        'keeper.requests_cleared',
        { metadata: { deleted: deleted_requests } },
        { workspace_id: actor.workspace, ...actorOf(actor) },
      ),
    )
  return { deleted_requests, deleted_events }
}
