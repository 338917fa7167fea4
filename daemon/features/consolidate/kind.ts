import { type Fact, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { type Choice, type Decision, declareKind, type Ending } from '../decisions/service.ts'
import { queries } from './queries.ts'

const choices: readonly Choice[] = [
  {
    id: 'approve',
    label: 'Approve',
    means: 'approve',
    effect: 'The rules are appended to the memory of the crew.',
    text: null,
  },
  {
    id: 'reject',
    label: 'Reject',
    means: 'deny',
    operation: 'consolidate.reject',
    effect: 'Nothing is remembered.',
    text: { member: 'reason', required: false },
  },
]

function endOf(app: App, { id, workspace_id, crew_id, outcome }: Decision, ending: Ending): Fact {
  const { rules_count } = queries(app.db).find.get(workspace_id, id)!
  const { actor, now, comment, details } = ending
  const about = { workspace_id, crew_id: crew_id!, ...actorOf(actor) }
  if (outcome !== 'approved')
    return fact('memory.proposal_rejected', { proposal_id: id, rules_count, reason: comment ?? '' }, about)
  const output_path = String(details?.['path'])
  const said = { proposal_id: id, rules_count, output_path, approved_by: actor!.id, decided_at: now }
  return fact('memory.consolidated', said, about)
}

/** Rules that wait for people. Those of a crew that is deleted are rejected with it. */
export const proposal = declareKind({
  name: 'memory_proposal',
  card: 'memory_consolidation',
  role: 'ADMIN',
  seconds: null,
  operation: 'consolidate.approve',
  params: ({ id }) => ({ proposalId: id }),
  actions: () => choices.map(({ id, label }) => ({ id, label })),
  choices: () => [...choices],
  hint: ({ id }) =>
    `Decide the proposal: POST /api/v1/consolidate/proposed/${id}/approve or reject (muster consolidate show ${id})`,
  expired: 'expired',
  orphaned: true,
  ended(app, { id, outcome }, { actor, by, comment, now }) {
    const status = outcome === 'approved' ? 'approved' : 'rejected'
    const user = by ?? (actor?.type === 'user' ? actor.id : null)
    queries(app.db).decide.run({ id, status, now, user, reason: comment || null })
  },
  fact: endOf,
})
