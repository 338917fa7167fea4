import { triggers } from '#contract/triggers'
import { feature } from '#kernel/feature'
import { createBuckets } from '#kernel/limits/buckets'
import { accept, forgetDeliveries } from './deliveries/service.ts'
import { beginByThemselves, forgetCalls } from './jobs.ts'
import { countScheduled } from './schedules/service.ts'
import { rotateSecret } from './service.ts'

const ended = { writes: ['agent.schedule_tripped'] as const, run: countScheduled }

export default feature(
  triggers,
  (app) => {
    const buckets = createBuckets(app.steady)
    return {
      rotateWebhookSecret: (call) => rotateSecret(app, call),
      trigger: (call) => accept(app, call, buckets),
    }
  },
  {
    jobs: [beginByThemselves, forgetCalls],
    on: {
      'agent.deleted': forgetDeliveries,
      'run.completed': ended,
      'run.failed': ended,
      'run.timeout': ended,
    },
  },
)
