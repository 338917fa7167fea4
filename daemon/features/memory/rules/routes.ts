import { memoryRules } from '#contract/memory-rules'
import { feature } from '#kernel/feature'
import { forgetRulesOf, noteSteered, rules } from './service.ts'

export default feature(memoryRules, (app) => ({ rules: (call) => rules(app, call) }), {
  on: {
    'crew.deleted': (app, { payload }) => forgetRulesOf(app, payload.entity_id),
    'run.note_taken': (app, { payload, about }) => {
      if (payload.kind === 'steer' && about.trace_id) noteSteered(app, about.trace_id)
    },
  },
})
