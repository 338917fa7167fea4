import { invitations } from '#contract/invitations'
import { allows } from '#contract/roles'
import { acting } from '#kernel/facts'
import { feature } from '#kernel/feature'
import { forgetInvitations } from './jobs.ts'
import {
  accept,
  create,
  decline,
  list,
  mine,
  redeem,
  revoke,
  settleInvitation,
  withdrawInvitationsBy,
  withdrawInvitationsTo,
} from './service.ts'

const writes = ['invitation.revoked'] as const

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
  {
    on: {
      'workspace_member.created': (app, { payload, about }) =>
        settleInvitation(app, about.workspace_id!, payload.metadata.email),
      'workspace_member.updated': {
        writes,
        run: (app, { payload: { metadata }, about }) => {
          if (!allows('ADMIN', metadata.role))
            withdrawInvitationsBy(app, about.workspace_id!, metadata.user_id, acting(about))
        },
      },
      'workspace_member.deleted': {
        writes,
        run: (app, { payload: { metadata }, about }) =>
          withdrawInvitationsBy(app, about.workspace_id!, metadata.user_id, acting(about)),
      },
      'workspace.deleted': (app, { payload }) => withdrawInvitationsTo(app, payload.entity_id),
    },
    jobs: [forgetInvitations],
  },
)
