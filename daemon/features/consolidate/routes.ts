import { consolidate } from '#contract/consolidate'
import { feature } from '#kernel/feature'
import { explain } from './explain.ts'
import { notePermanent } from './permanents.ts'
import { readPermanent, run, scheduleConsolidation } from './runs.ts'
import { approve, diff, forgetCrew, proposals, reject } from './service.ts'

export default feature(
  consolidate,
  (app) => ({
    run: (call) => run(app, call),
    proposals: (call) => proposals(app, call),
    diff: (call) => diff(app, call),
    explain: (call) => explain(app, call),
    approve: (call) => approve(app, call),
    reject: (call) => reject(app, call),
  }),
  {
    on: {
      'crew.deleted': (app, { payload }) => forgetCrew(app, payload.entity_id),
      'memory.priority_changed': notePermanent,
    },
    after: { 'memory.priority_changed': readPermanent },
    jobs: [scheduleConsolidation],
  },
)
