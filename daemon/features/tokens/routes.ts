import { tokens } from '#contract/tokens'
import { feature } from '#kernel/feature'
import { forgetTokenUses, watchTokenExpiry } from './jobs.ts'
import { create, list, revoke, revokeAll, rotate, uses, validate } from './service.ts'

const writes = ['cli_token.deleted'] as const

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
  {
    on: {
      'user.reclaimed': {
        writes,
        run: (app, { payload }) => revokeAll(app, payload.entity_id, { reason: 'address_proved' }),
      },
      'user.signed_out': {
        writes,
        run: (app, { payload: { entity_id: user, metadata } }) => {
          if (metadata.tokens > 0) revokeAll(app, user, { via: 'host' })
        },
      },
    },
    jobs: [watchTokenExpiry, forgetTokenUses],
  },
)
