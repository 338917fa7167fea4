import { bootstrap } from '#contract/bootstrap'
import { feature, gated, settled } from '#kernel/feature'
import { prepareNewcomer } from '../accounts/service.ts'
import { checkOpen, create, enter } from './service.ts'

export default feature(bootstrap, (app) => ({
  create: gated(
    () => checkOpen(app),
    settled({
      prepare: ({ body }) => prepareNewcomer(app, body),
      commit: (call, ready) => create(app, call, ready),
      settle: (call, made) => enter(app, call, made),
    }),
  ),
}))
