import { runs } from '#contract/runs'
import { feature } from '#kernel/feature'
import { projectRuns } from './records/projection.ts'
import { list, ofAgent, reportConfidence, show } from './records/service.ts'

export default feature(runs, (app) => {
  app.project(projectRuns(app.db))
  return {
    list: (call) => list(app, call),
    show: (call) => show(app, call),
    ofAgent: (call) => ofAgent(app, call),
    reportConfidence: (call) => reportConfidence(app, call),
  }
})
