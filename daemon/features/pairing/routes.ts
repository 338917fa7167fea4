import { pairing } from '#contract/pairing'
import { feature } from '#kernel/feature'
import { forgetCodes, poll, redeem, start } from './service.ts'

export default feature(
  pairing,
  (app) => ({
    start: (call) => app.write(() => start(app, call)),
    poll: (call) => poll(app, call),
    redeem: (call) => redeem(app, call),
  }),
  {
    on: {
      'session.deleted': (app, { payload: { metadata } }) => {
        if (metadata.reason === 'user_revoked' || metadata.reason === 'refresh_replay')
          forgetCodes(app, metadata.user_id)
      },
      'user.password_changed': (app, { payload }) => forgetCodes(app, payload.entity_id),
      'user.password_reset': (app, { payload }) => forgetCodes(app, payload.entity_id),
      'user.reclaimed': (app, { payload }) => forgetCodes(app, payload.entity_id),
      'user.signed_out': (app, { payload }) => forgetCodes(app, payload.entity_id),
    },
  },
)
