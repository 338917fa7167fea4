import { invitations } from '#contract/invitations'
import { feature } from '#kernel/feature'
import { forgetInvitations } from './jobs.ts'
import { accept, create, decline, list, mine, redeem, revoke } from './service.ts'

export default feature(
  invitations,
  (app) => ({
    list: (call) => list(app, call),
    create: (call) => create(app, call),
    revoke: (call) => revoke(app, call),
    mine: (call) => mine(app, call),
    redeem: (call) => redeem(app, call),
    accept: (call) => accept(app, call),
    decline: (call) => decline(app, call),
  }),
  { jobs: [forgetInvitations] },
)
