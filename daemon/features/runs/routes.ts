import { runs } from '#contract/runs'
import { feature } from '#kernel/feature'
import { logs } from './logs/service.ts'
import { cancelRunsOfAgent, cancelRunsOfCrew, cancelWaitingOfCrew } from './reactions.ts'
import { projectRuns } from './records/projection.ts'
import { list, ofAgent, reportConfidence, show } from './records/service.ts'
import { cancel } from './service.ts'

const ends = ['run.cancelled'] as const

export default feature(
  runs,
  (app) => {
    app.project(projectRuns(app.db))
    return {
      list: (call) => list(app, call),
      show: (call) => show(app, call),
      cancel: (call) => cancel(app, call),
      logs: (call) => logs(app, call),
      ofAgent: (call) => ofAgent(app, call),
      reportConfidence: (call) => reportConfidence(app, call),
    }
  },
  {
    on: {
      'agent.deleted': { writes: ends, run: cancelRunsOfAgent },
      'crew.deleted': { writes: ends, run: cancelRunsOfCrew },
      'crew.stop_requested': { writes: ends, run: cancelWaitingOfCrew },
    },
    after: { 'chat.deleted': (app, { payload }) => app.runs.forget(payload.entity_id) },
  },
)
