import { metrics } from '#contract/metrics'
import { feature } from '#kernel/feature'
import { exportMetrics } from './exported/jobs.ts'
import { openMetricJobs } from './measures.ts'
import { timeseries } from './service.ts'

export default feature(
  metrics,
  (app) => {
    app.reads.provide(openMetricJobs)
    return { timeseries: (call) => timeseries(app, call) }
  },
  { jobs: [exportMetrics] },
)
