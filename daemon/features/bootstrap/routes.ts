import { bootstrap } from '#contract/bootstrap'
import { feature, gated, staged } from '#kernel/feature'
import { checkOpen, create, prepare } from './service.ts'

export default feature(bootstrap, (app) => ({
  create: gated(
    () => checkOpen(app),
    staged(
      (call) => prepare(app, call),
      (call, ready) => create(app, call, ready),
    ),
  ),
}))
