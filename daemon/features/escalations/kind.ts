import { answerWithinSeconds } from '#contract/escalations'
import type { App } from '#kernel/app'
import { wake } from '#kernel/waiting'
import { acceptProposal, refuseProposal } from '../credentials/proposals/service.ts'
import { type Choice, type Decision, declareKind, type Ending } from '../decisions/service.ts'
import { queries } from './queries.ts'
import { broadcast, endOf } from './telling.ts'

const text = { member: 'resolution', required: false }
const effect = 'The agent goes on.'
const verdicts: readonly Choice[] = [
  {
    id: 'approve',
    label: 'Approve',
    means: 'approve',
    effect,
    body: { action: 'approve', resolution: 'Approved.' },
    text,
  },
  { id: 'reject', label: 'Deny', means: 'deny', effect, body: { action: 'reject', resolution: 'Denied.' }, text },
]
const answer: Choice = {
  id: 'answer',
  label: 'Answer',
  effect,
  body: { action: 'approve' },
  text: { member: 'resolution', required: true },
}

const isSecret = (app: App, { id }: Decision): boolean => queries(app.db).byId.get(id)!.type === 'CREDENTIAL'

/** Stores what was answered; what was offered is accepted or erased, and the agent that waits goes on. */
function ended(app: App, { id, outcome }: Decision, { state, actor, details, now }: Ending): void {
  const { byId, answer: store } = queries(app.db)
  if (details) store.run({ id, resolution: null, redirect_to: null, ...details })
  const row = byId.get(id)!
  if (row.credential_id && actor && state === 'decided' && outcome === 'approve')
    acceptProposal(app, actor, { id: row.credential_id, agent: row.from_agent_id, now })
  else if (row.credential_id) refuseProposal(app, actor, row.credential_id, now)
  broadcast(app, row)
  wake(app, id)
}

/** A question of an agent to people, or something that it offers them. docs/rules/decisions.md, "Escalations". */
export const escalation = declareKind({
  name: 'escalation',
  card: 'escalation',
  role: 'MANAGER',
  seconds: answerWithinSeconds,
  operation: 'escalations.resolve',
  params: ({ id }) => ({ escalationId: id }),
  actions: (app, row) => [
    { id: 'approve', label: 'Approve' },
    { id: 'reject', label: 'Reject' },
    ...(isSecret(app, row) ? [] : [{ id: 'redirect', label: 'Redirect' }]),
  ],
  // A credential is taken or not: words would stand in the answer.
  choices: (app, row) => (isSecret(app, row) ? [...verdicts] : [answer, ...verdicts]),
  hint: ({ id }) => `Answer the escalation: PATCH /api/v1/escalations/${id}/resolve (muster escalations resolve ${id})`,
  guarded: isSecret,
  lasting: true,
  expired: 'expired',
  orphaned: true,
  ended,
  fact: endOf,
})
