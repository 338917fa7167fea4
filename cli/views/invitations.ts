import type { Static } from 'typebox'
import type { Invitation, OwnInvitation } from '#contract/invitations'
import { when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const invitationView: View<Static<typeof Invitation>> = {
  name: ({ id }) => id,
  empty: 'No invitation is open. Next: muster invitations create EMAIL',
  columns: {
    ID: ({ id }) => id,
    EMAIL: ({ email }) => email,
    ROLE: ({ role }) => role.toLowerCase(),
    'INVITED BY': ({ inviter }) => inviter.email,
    EXPIRES: ({ expires_at }) => when(expires_at),
    CREATED: ({ created_at }) => when(created_at),
  },
}

export const ownInvitationView: View<Static<typeof OwnInvitation>> = {
  name: ({ workspace }) => workspace.slug,
  empty: 'There are no invitations to your address.',
  columns: {
    WORKSPACE: ({ workspace }) => workspace.slug,
    NAME: ({ workspace }) => workspace.name,
    ROLE: ({ role }) => role.toLowerCase(),
    'INVITED BY': ({ inviter }) => inviter.email,
    EXPIRES: ({ expires_at }) => when(expires_at),
    ID: ({ id }) => id,
  },
}
