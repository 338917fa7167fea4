import { tokens } from '#contract/tokens'
import { feature } from '#kernel/feature'
import { create, list, revoke, validate } from './service.ts'

export default feature(tokens, (app) => ({
  create: (call) => create(app, call),
  list: (call) => list(app, call),
  validate,
  revoke: (call) => revoke(app, call),
}))
