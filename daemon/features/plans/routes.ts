import { plans } from '#contract/plans'
import { feature } from '#kernel/feature'
import { create, list, remove, show, update } from './service.ts'

export default feature(plans, (app) => ({
  list: (call) => list(app, call),
  show: (call) => show(app, call),
  create: (call) => create(app, call),
  update: (call) => update(app, call),
  remove: (call) => remove(app, call),
}))
