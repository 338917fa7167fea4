import { type Fact, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { type Choice, type Decision, declareKind, type Ending } from '../decisions/service.ts'
import { queries } from './queries.ts'

const effects = {
  learned: ['The rules are appended to the memory of the crew.', 'Nothing is remembered.'],
  removal: ['The rules are taken out of the memory of the crew.', 'The rules stay.'],
} as const

/** What may be chosen, with what follows. */
function choicesOf(app: App, { workspace_id, id }: Pick<Decision, 'workspace_id' | 'id'>): Choice[] {
  const [approved, rejected] = effects[queries(app.db).find.get(workspace_id, id)?.kind ?? 'learned']
  return [
    { id: 'approve', label: 'Approve', means: 'approve', effect: approved, text: null },
    {
      id: 'reject',
      label: 'Reject',
      means: 'deny',
      operation: 'consolidate.reject',
      effect: rejected,
      text: { member: 'reason', required: false },
    },
  ]
}

function endOf(app: App, { id, workspace_id, crew_id, outcome }: Decision, ending: Ending): Fact {
  const { rules_count, kind } = queries(app.db).find.get(workspace_id, id)!
  const more = kind === 'removal' && { kind }
  const { actor, now, comment, details } = ending
  const about = { workspace_id, crew_id: crew_id!, ...actorOf(actor) }
  if (outcome !== 'approved')
    return fact('memory.proposal_rejected', { proposal_id: id, rules_count, reason: comment ?? '', ...more }, about)
  const output_path = String(details?.['path'])
  const said = { proposal_id: id, rules_count, output_path, approved_by: actor!.id, decided_at: now, ...more }
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
  actions: (app, row) => choicesOf(app, row).map(({ id, label }) => ({ id, label })),
  choices: choicesOf,
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
