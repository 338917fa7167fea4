import { deliveries } from '#contract/deliveries'
import { feature } from '#kernel/feature'
import { completed, failed } from './broadcasts/service.ts'
import { deliverDue, forgetDeliveries, forgetEvents } from './jobs.ts'
import { list } from './service.ts'
import { why } from './why/service.ts'

export default feature(
  deliveries,
  (app) => ({
    list: (call) => list(app, call),
    why: (call) => why(app, call),
  }),
  {
    jobs: [deliverDue, forgetDeliveries, forgetEvents],
    on: { 'routine_run.completed': completed, 'routine_run.failed': failed },
  },
)
