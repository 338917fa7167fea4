import type { Static } from 'typebox'
import type { Invitation, OwnInvitation } from '#contract/invitations'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const invitationView: View<Static<typeof Invitation>> = {
  name: ({ id }) => id,
  empty: 'No invitation is open. Next: muster invitations create EMAIL',
  columns: {
    NAME: ({ email }) => email,
    ROLE: ({ role }) => word(role),
    'INVITED-BY': ({ inviter }) => inviter.email,
    EXPIRES: ({ expires_at }) => when(expires_at),
    ID: ({ id }) => id,
    AGE: ({ created_at }) => age(created_at),
  },
}

export const ownInvitationView: View<Static<typeof OwnInvitation>> = {
  name: ({ workspace }) => workspace.slug,
  empty: 'There are no invitations to your address.',
  columns: {
    NAME: ({ workspace }) => workspace.slug,
    ROLE: ({ role }) => word(role),
    'INVITED-BY': ({ inviter }) => inviter.email,
    EXPIRES: ({ expires_at }) => when(expires_at),
    ID: ({ id }) => id,
    AGE: ({ created_at }) => age(created_at),
  },
}
