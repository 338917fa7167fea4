import type { Static } from 'typebox'
import type { Held as Schema } from '#contract/member-capabilities'
import type { View } from '../output/printer.ts'

/** What a member may do beyond the role, with the address when it is known. */
export type Held = Static<typeof Schema> & { email?: string }

export const heldView: View<Held> = {
  name: ({ user_id, email }) => email ?? user_id,
  columns: {
    NAME: ({ user_id, email }) => email ?? user_id,
    ROLE: ({ role }) => role.toLowerCase(),
    CAPABILITIES: ({ capabilities }) => capabilities.join(' '),
  },
}
