import { accounts } from '#contract/accounts'
import { feature, gated, staged } from '#kernel/feature'
import { sweepOldMailTokens } from './jobs.ts'
import { forgot, prepareReset, reset } from './recovery/service.ts'
import { checkAllowed, create, prepareNewcomer } from './service.ts'

export default feature(
  accounts,
  (app) => ({
    create: gated(
      () => checkAllowed(app),
      staged(
        ({ body }) => prepareNewcomer(app, body),
        (call, newcomer) => create(app, call, newcomer),
      ),
    ),
    forgot: (call) => forgot(app, call),
    reset: staged(
      (call) => prepareReset(app, call),
      (call, password_hash) => reset(app, call, password_hash),
    ),
  }),
  { jobs: [sweepOldMailTokens] },
)
