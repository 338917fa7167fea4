import { type Fact, type FactName, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { type Choice, type Decision, declareKind, type Ending } from '../decisions/service.ts'
import { queries, type Row } from './queries.ts'

/** How long people may take. docs/rules/decisions.md, "Approvals". */
const holdSeconds = 7 * 86_400

const text = { member: 'comment', required: false }
const choices: readonly Choice[] = [
  { id: 'approve', label: 'Approve', means: 'approve', body: { status: 'approved' }, text },
  { id: 'deny', label: 'Deny', means: 'deny', body: { status: 'denied' }, text },
]

type Told = Extract<FactName, `approval.${string}`>

/** A journal entry about a request, with the members that clients filter by. */
export function factOf(
  name: Told,
  { id, asked, crew_id, agent_id }: Decision,
  { kind, requested_by, workspace_id, payload_json }: Row,
  by: Actor | { agent: string } | null,
  more: { comment?: string; reason?: string; cancelled_by?: string } = {},
): Fact {
  const { target, target_id, policy_action } = JSON.parse(payload_json) as Record<string, unknown>
  const about = agent_id ?? requested_by
  return fact(
    name,
    {
      approval_id: id,
      kind,
      asked,
      ...(typeof target === 'string' && { target }),
      ...(typeof target_id === 'string' && { target_id }),
      ...(typeof policy_action === 'string' && { policy_action }),
      ...more,
    },
    {
      workspace_id,
      ...(crew_id && { crew_id }),
      ...(about && { agent_id: about }),
      ...(by && 'agent' in by ? { actor_type: 'agent' as const, actor_id: by.agent } : actorOf(by)),
      refs: { approval_id: id },
    },
  )
}

function endOf(app: App, decision: Decision, { state, actor, comment, orphaned }: Ending): Fact {
  const row = queries(app.db).find.get(decision.workspace_id, decision.id)!
  if (state === 'expired') return factOf('approval.timeout', decision, row, null)
  if (state === 'withdrawn') {
    const why = { ...(comment && { reason: comment }), ...(actor && { cancelled_by: actor.id }) }
    return factOf(orphaned ? 'approval.orphaned' : 'approval.cancelled', decision, row, actor, why)
  }
  const name = decision.outcome === 'approved' ? 'approval.granted' : 'approval.denied'
  return factOf(name, decision, row, actor, comment ? { comment } : {})
}

/** Something that takes effect only when people approve it. The feature that holds it back reacts to the fact. */
export const approval = declareKind({
  name: 'approval',
  card: 'waitpoint',
  role: 'ADMIN',
  seconds: holdSeconds,
  operation: 'approvals.decide',
  params: ({ id }) => ({ approvalId: id }),
  actions: () => choices.map(({ id, label }) => ({ id, label })),
  choices: () => [...choices],
  hint: ({ id }) => `Decide the approval: POST /api/v1/approvals/${id}/decide (muster approve ${id})`,
  expired: 'timed_out',
  orphaned: true,
  ended(app, { id }, { comment }) {
    if (comment) queries(app.db).comment.run(comment, id)
  },
  fact: endOf,
})
