import { consolidate } from '#contract/consolidate'
import { feature } from '#kernel/feature'
import { explain } from './explain.ts'
import { approve, diff, proposals, reject, unstage } from './service.ts'

export default feature(
  consolidate,
  (app) => ({
    proposals: (call) => proposals(app, call),
    diff: (call) => diff(app, call),
    explain: (call) => explain(app, call),
    approve: (call) => approve(app, call),
    reject: (call) => reject(app, call),
  }),
  { on: { 'crew.deleted': (app, { payload }) => unstage(app, payload.entity_id) } },
)
