import { blame } from '#contract/blame'
import { feature } from '#kernel/feature'
import { forgetCrew } from './recording/service.ts'
import { show } from './service.ts'

export default feature(blame, (app) => ({ show: (call) => show(app, call) }), {
  on: { 'crew.deleted': (app, { payload }) => forgetCrew(app, payload.entity_id) },
})
