import { policies } from '#contract/policies'
import { feature } from '#kernel/feature'
import { list, set, show } from './service.ts'
import { simulate } from './simulation/service.ts'

export default feature(policies, (app) => ({
  list: (call) => list(app, call),
  show: (call) => show(app, call),
  set: (call) => set(app, call),
  simulate: (call) => simulate(app, call),
}))
