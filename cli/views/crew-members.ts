import type { Static } from 'typebox'
import type { CrewMember as Schema } from '#contract/crew-members'
import { age, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const crewMemberView: View<Static<typeof Schema>> = {
  name: ({ user }) => user.email,
  empty:
    'The crew has no members of its own: everybody has the role of the workspace. Next: muster crews add-member ' +
    'CREW USER',
  columns: {
    NAME: ({ user }) => user.email,
    'FULL-NAME': ({ user }) => user.full_name,
    ROLE: ({ role }) => word(role) ?? 'as in the workspace',
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { 'USER-ID': ({ user_id }) => user_id },
}
