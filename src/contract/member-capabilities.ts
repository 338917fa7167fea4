import { Type } from 'typebox'
import { capabilities, presets } from './capabilities.ts'
import { get, patch } from './define.ts'
import { page } from './fields.ts'
import { roles } from './roles.ts'

export const Held = Type.Object({
  user_id: Type.String(),
  role: Type.Enum([...roles]),
  capabilities: Type.Array(Type.Enum([...capabilities])),
})

const some = Type.Optional(Type.Array(Type.Enum([...capabilities]), { minItems: 1, maxItems: 50 }))

/** The part of the members' interface that concerns what they may do beyond their role. */
export const memberCapabilities = {
  capabilities: get('/workspaces/:workspaceId/members/capabilities', {
    summary: 'List what members may do beyond their role',
    access: 'ADMIN',
    query: Type.Object(page),
    reply: Type.Object({ members: Type.Array(Held) }),
    throws: ['not_found'],
  }),
  showCapabilities: get('/workspaces/:workspaceId/members/:userId/capabilities', {
    summary: 'Say what a member may do beyond the role',
    access: 'ADMIN',
    reply: Held,
    throws: ['not_found'],
  }),
  setCapabilities: patch('/workspaces/:workspaceId/members/:userId/capabilities', {
    summary: 'Change what a member may do beyond the role',
    access: 'ADMIN',
    scope: 'workspace:admin',
    body: Type.Object(
      { set: some, grant: some, revoke: some, preset: Type.Optional(Type.Enum([...presets])) },
      { description: 'Exactly one of them' },
    ),
    bodyLimit: 16 * 1024,
    reply: Held,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'no_fields'],
  }),
}
