import { webhooks } from '#contract/webhooks'
import type { App } from '#kernel/app'
import { feature } from '#kernel/feature'
import { forgetDaily } from '#kernel/jobs/daily'
import { createBuckets } from '#kernel/limits/buckets'
import { afterRun, fire, forgetKeys } from './calls/service.ts'
import { create, dropAll, leaveRoutine, list, remove, update } from './service.ts'

const forgetCalls = (app: App) => forgetDaily(app, 'Old calls of webhooks of routines', (most) => forgetKeys(app, most))

export default feature(
  webhooks,
  (app) => {
    const buckets = createBuckets(app.steady)
    return {
      list: (call) => list(app, call),
      create: (call) => create(app, call),
      update: (call) => update(app, call),
      remove: (call) => remove(app, call),
      fire: (call) => fire(app, call, buckets),
    }
  },
  {
    jobs: [forgetCalls],
    on: {
      'routine_run.completed': afterRun,
      'routine_run.failed': afterRun,
      'routine_run.cancelled': afterRun,
      'routine.deleted': leaveRoutine,
      'workspace.deleted': dropAll,
    },
  },
)
