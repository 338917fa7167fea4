import { keeperAnswerWithin } from '#contract/keeper-requests'
import type { App } from '#kernel/app'
import { wake } from '#kernel/waiting'
import { tierOf } from '../../credentials/levels/service.ts'
import { type Choice, type Decision, declareKind, type Ending } from '../../decisions/service.ts'
import { handSoon } from './handing.ts'
import { queries } from './queries.ts'
import { settle } from './settling.ts'
import { decisionFact } from './telling.ts'

const text = { member: 'reason', required: false }
const choices: readonly Choice[] = [
  {
    id: 'approve',
    label: 'Allow',
    means: 'approve',
    effect: 'The agent may use it.',
    body: { decision: 'ALLOW' },
    text,
  },
  {
    id: 'deny',
    label: 'Deny',
    means: 'deny',
    effect: 'The agent goes on without it.',
    body: { decision: 'DENY' },
    text,
  },
]

const reasons = {
  decided: 'A person decided',
  expired: 'Nobody decided in time',
  withdrawn: 'It was withdrawn',
}

/** Stores what people decided, gives the agent what it may have, and wakes it. */
function ended(app: App, { id, outcome }: Decision, { state, actor, comment, now }: Ending): void {
  const allowed = state === 'decided' && outcome === 'ALLOW'
  const before = queries(app.db).byId.get(id)!
  const row = settle(app, id, {
    before: 'ESCALATE',
    decision: allowed ? 'ALLOW' : 'DENY',
    reason: comment || reasons[state],
    risk: before.risk_score ?? 10,
    rule: state === 'decided' ? 'person' : state,
    by: actor,
    now,
  })
  if (row && allowed && row.request_type === 'access') handSoon(app, row)
  wake(app, id)
}

const levelOf = (app: App, { id }: Decision): number => queries(app.db).byId.get(id)?.security_level ?? 4

/** A request that the judge puts before people. docs/keeper.md, "What people decide". */
export const keeperRequest = declareKind({
  name: 'keeper_request',
  card: 'escalation',
  role: 'ADMIN',
  seconds: keeperAnswerWithin,
  operation: 'keeper.resolve',
  params: ({ id }) => ({ requestId: id }),
  actions: () => choices.map(({ id, label }) => ({ id, label })),
  choices: () => [...choices],
  hint: ({ id }) => `Decide the request: muster keeper resolve ${id} ALLOW`,
  guarded: () => true,
  tiered: (app, row) => tierOf(levelOf(app, row)).secondApprover,
  lasting: true,
  expired: 'expired',
  orphaned: true,
  ended,
  fact: (app, { id }, { actor }) => decisionFact(queries(app.db).byId.get(id)!, actor),
})
