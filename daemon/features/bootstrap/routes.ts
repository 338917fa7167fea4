import { bootstrap } from '#contract/bootstrap'
import { feature, gated, settled } from '#kernel/feature'
import { checkOpen, create, enter, prepare } from './service.ts'

export default feature(bootstrap, (app) => ({
  create: gated(
    () => checkOpen(app),
    settled({
      prepare: (call) => prepare(app, call),
      commit: (call, ready) => create(app, call, ready),
      settle: (call, made) => enter(app, call, made),
    }),
  ),
}))
