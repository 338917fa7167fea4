import { type Fact, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { agentById } from '../agents/service.ts'
import { type Choice, type Decision, declareKind, type Ending } from '../decisions/service.ts'
import { write } from './layers.ts'
import { queries } from './queries.ts'

const text = { member: 'comment', required: false }
const choices: readonly Choice[] = [
  {
    id: 'approve',
    label: 'Approve',
    means: 'approve',
    effect: 'The agent has this persona from its next task on.',
    body: { approve: true },
    text,
  },
  {
    id: 'deny',
    label: 'Deny',
    means: 'deny',
    effect: 'The agent keeps the persona that it has.',
    body: { approve: false },
    text,
  },
]

function endOf(_: App, { id, workspace_id, crew_id, agent_id, outcome }: Decision, { actor, comment }: Ending): Fact {
  const metadata = {
    agent_id: agent_id!,
    outcome: outcome as 'approved' | 'denied' | 'cancelled',
    ...(comment && { comment }),
  }
  return fact(
    'persona.suggestion_settled',
    { entity_id: id, metadata },
    { workspace_id, ...(crew_id && { crew_id }), agent_id: agent_id!, ...actorOf(actor) },
  )
}

/** A persona that was suggested. It takes effect when people approve it. */
export const suggestion = declareKind({
  name: 'persona',
  card: 'escalation',
  role: 'MANAGER',
  seconds: null,
  operation: 'persona.decide',
  params: ({ id }) => ({ auditId: id }),
  actions: () => choices.map(({ id, label }) => ({ id, label })),
  choices: () => [...choices],
  hint: ({ id }) =>
    `Decide the suggestion: POST /api/v1/persona/suggestions/${id}/decide (muster persona decide ${id})`,
  expired: 'expired',
  orphaned: true,
  ended(app, { id, workspace_id, agent_id, outcome }, { actor, now }) {
    if (outcome !== 'approved') return
    const { content, suggested_by } = queries(app.db).find.get(workspace_id, id)!
    write(app, agentById(app, agent_id!)!, { content, actor: actorOf(actor), by: suggested_by, suggestion: id, now })
  },
  fact: endOf,
})
