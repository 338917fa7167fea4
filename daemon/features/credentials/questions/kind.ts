import { fact } from '#contract/entries'
import { keeperAnswerWithin } from '#contract/keeper-requests'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { wake } from '#kernel/waiting'
import { type Choice, type Decision, declareKind, type Ending } from '../../decisions/service.ts'
import { tierOf } from '../levels/service.ts'
import { queries as credentialQueries } from '../queries.ts'
import { queries } from '../scopes/queries.ts'

const text = { member: 'reason', required: false }
const choices: readonly Choice[] = [
  {
    id: 'once',
    label: 'Allow once',
    means: 'approve',
    effect: 'It may be used for this one time, within an hour.',
    body: { decision: 'once' },
    text,
  },
  {
    id: 'always',
    label: 'Allow always',
    means: 'approve',
    effect: 'This becomes one of the credential’s rules.',
    body: { decision: 'always' },
    text,
  },
  { id: 'deny', label: 'Deny', means: 'deny', effect: 'It is not sent.', body: { decision: 'deny' }, text },
]

const questionOf = ({ db }: App, { id }: Pick<Decision, 'id'>) => queries(db).question.get(id)!

/** What was decided, as it is stored: everything that is no approval is a denial. */
export const outcomeOf = ({ state, outcome }: Ending): 'once' | 'always' | 'denied' =>
  state === 'decided' && (outcome === 'once' || outcome === 'always') ? outcome : 'denied'

/** Stores the outcome and, for `always`, the rule in the same change; whoever waits goes on. */
function ended(app: App, row: Decision, ending: Ending): void {
  const outcome = outcomeOf(ending)
  const { credential_id: credential, host, method, path } = questionOf(app, row)
  if (!queries(app.db).decide.get({ id: row.id, outcome, now: ending.now })) return
  if (outcome === 'always') queries(app.db).allow.run({ credential, host, method, path, now: ending.now })
  wake(app, row.id)
}

function endOf(app: App, decision: Decision, ending: Ending) {
  const it = questionOf(app, decision)
  const name = credentialQueries(app.db).named.get(it.credential_id)?.name ?? it.credential_id
  return fact(
    'credential.use_decided',
    {
      credential_id: it.credential_id,
      credential_name: name,
      question_id: it.id,
      host: it.host,
      method: it.method,
      path: it.path,
      outcome: outcomeOf(ending),
      ...(ending.state !== 'decided' && { ended: ending.state }),
      ...(ending.comment && { reason: ending.comment }),
    },
    {
      workspace_id: it.workspace_id,
      ...(decision.crew_id && { crew_id: decision.crew_id }),
      ...(it.agent_id && { agent_id: it.agent_id }),
      ...(decision.run_id && { trace_id: decision.run_id }),
      ...actorOf(ending.actor),
    },
  )
}

const levelOf = (app: App, row: Decision): number => {
  const { workspace_id, credential_id } = questionOf(app, row)
  return credentialQueries(app.db).find.get(workspace_id, credential_id)?.security_level ?? 4
}

/** A use of a credential outside of its scopes. docs/keeper.md, "Scopes". */
export const scopeQuestion = declareKind({
  name: 'credential_use',
  card: 'escalation',
  role: 'ADMIN',
  seconds: keeperAnswerWithin,
  operation: 'credentials.decideUse',
  params: ({ id }, app) => ({ credentialId: questionOf(app, { id }).credential_id, questionId: id }),
  actions: () => choices.map(({ id, label }) => ({ id, label })),
  choices: () => [...choices],
  hint: () => 'Decide it where it is listed: muster credentials scopes NAME',
  guarded: () => true,
  tiered: (app, row) => tierOf(levelOf(app, row)).secondApprover,
  lasting: true,
  expired: 'expired',
  orphaned: true,
  ended,
  fact: endOf,
})
