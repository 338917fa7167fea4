import { type Fact, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { type Choice, type Decision, declareKind, type Ending } from '../../decisions/service.ts'
import { type Proposed, queries } from './queries.ts'

/** Where a staged skill is said to lie. */
export const pathOf = ({ crew_id, file_name }: Pick<Proposed, 'crew_id' | 'file_name'>): string =>
  `crew:${crew_id}/topics/.proposed/${file_name}`

function choicesOf(app: App, { id }: Pick<Decision, 'id'>): Choice[] {
  const { crew_id, file_name } = queries(app.db).byId.get(id)!
  const given = { body: { crew_id, file_name }, text: null }
  const effect = 'It becomes a skill that agents can be given.'
  return [
    { id: 'approve', label: 'Approve', means: 'approve', effect, ...given },
    {
      id: 'reject',
      label: 'Reject',
      means: 'deny',
      operation: 'skills.reject',
      effect: 'Its text is removed.',
      ...given,
    },
  ]
}

function endOf(app: App, { id, workspace_id, crew_id, outcome }: Decision, { actor, details }: Ending): Fact {
  const row = queries(app.db).byId.get(id)!
  const about = { workspace_id, crew_id: crew_id!, ...actorOf(actor) }
  const skill_path = pathOf(row)
  if (outcome !== 'approved')
    return fact('memory.skill_rejected', { skill_path, file_name: row.file_name, removed_on_fs: true }, about)
  const { skill_id, slug, created } = details as { skill_id: string; slug: string; created: boolean }
  return fact('memory.skill_approved', { skill_id, skill_path, slug, created }, about)
}

/** Skills that wait for people. Those of a crew that is deleted are rejected with it. */
export const skillProposal = declareKind({
  name: 'skill_proposal',
  card: 'escalation',
  role: 'ADMIN',
  seconds: null,
  operation: 'skills.approve',
  params: () => ({}),
  actions: (app, row) => choicesOf(app, row).map(({ id, label }) => ({ id, label })),
  choices: choicesOf,
  hint: ({ crew_id }) =>
    `Decide the skill: POST /api/v1/skills/proposed/approve or reject (muster skills proposed --crew ${crew_id})`,
  expired: 'expired',
  orphaned: true,
  ended: (app, { id }) => void queries(app.db).end.run(id),
  fact: endOf,
})
