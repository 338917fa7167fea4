import { metrics } from '#contract/metrics'
import { feature } from '#kernel/feature'
import { timeseries } from './service.ts'

export default feature(metrics, (app) => ({ timeseries: (call) => timeseries(app, call) }))
