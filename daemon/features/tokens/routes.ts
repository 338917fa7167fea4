import { tokens } from '#contract/tokens'
import { feature } from '#kernel/feature'
import { forgetTokenUses, watchTokenExpiry } from './jobs.ts'
import { create, list, revoke, rotate, uses, validate } from './service.ts'

export default feature(
  tokens,
  (app) => ({
    create: (call) => create(app, call),
    list: (call) => list(app, call),
    validate,
    rotate: (call) => rotate(app, call),
    uses: (call) => uses(app, call),
    revoke: (call) => revoke(app, call),
  }),
  { jobs: [watchTokenExpiry, forgetTokenUses] },
)
