import { checkpoints } from '#contract/checkpoints'
import { feature } from '#kernel/feature'
import { create, fork, forkOfMission, list, remove, restore, show } from './service.ts'

export default feature(checkpoints, (app) => ({
  list: (call) => list(app, call),
  create: (call) => create(app, call),
  show: (call) => show(app, call),
  restore: (call) => restore(app, call),
  fork: (call) => fork(app, call),
  forkMission: (call) => forkOfMission(app, call),
  remove: (call) => remove(app, call),
}))
