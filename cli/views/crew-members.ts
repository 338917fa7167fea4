import type { Static } from 'typebox'
import type { CrewMember as Schema } from '#contract/crew-members'
import { when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const crewMemberView: View<Static<typeof Schema>> = {
  name: ({ user }) => user.email,
  empty:
    'The crew has no members of its own: everybody has the role of the workspace. Next: muster crews add-member ' +
    'CREW USER',
  columns: {
    EMAIL: ({ user }) => user.email,
    NAME: ({ user }) => user.full_name,
    ROLE: ({ role }) => role?.toLowerCase() ?? 'as in the workspace',
    'USER ID': ({ user_id }) => user_id,
    SINCE: ({ created_at }) => when(created_at),
  },
}
