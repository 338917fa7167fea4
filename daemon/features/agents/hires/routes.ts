import { hires } from '#contract/hires'
import { feature, staged } from '#kernel/feature'
import { checkModel } from '../models/service.ts'
import { expireHiresRegularly } from './jobs.ts'
import { approveHire, settleHire } from './outcomes.ts'
import { clientFor } from './rules.ts'
import { hire, rehire, spawn } from './service.ts'

/** What follows from the end of a request that did not approve the hire. */
const ended = { writes: ['agent.hire_denied', 'agent.expired'] as const, run: settleHire }

export default feature(
  hires,
  (app) => ({
    hire: staged(
      ({ actor, body: { model } }) =>
        checkModel(app, { actor, body: { ...clientFor(model ?? null), llm_model: model ?? null } }, undefined, 'model'),
      (call) => hire(app, call),
    ),
    rehire: (call) => rehire(app, call),
    approveHire: (call) => approveHire(app, call),
    spawn: (call) => spawn(app, call),
  }),
  {
    on: {
      'approval.granted': { writes: ['agent.hire_approved'], run: settleHire },
      'approval.denied': ended,
      'approval.timeout': ended,
      'approval.cancelled': ended,
    },
    jobs: [expireHiresRegularly],
  },
)
