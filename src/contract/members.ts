import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Email, line, page, Time } from './fields.ts'
import { GivenRole } from './invitations.ts'
import { roles } from './roles.ts'
import { User } from './users.ts'

const described = {
  id: Type.String(),
  workspace_id: Type.String(),
  user_id: Type.String(),
  role: Type.Enum([...roles]),
  created_at: Time,
  updated_at: Time,
}
export const Member = Type.Object({ ...described, user: User })

const changed = Type.Object({ status: Type.String(), member_id: Type.String(), role: Type.Enum([...roles]) })

export const members = {
  list: get('/workspaces/:workspaceId/members', {
    summary: 'List the members of a workspace, oldest first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(Member),
    throws: ['not_found'],
  }),
  add: post('/workspaces/:workspaceId/members', {
    summary: 'Make a user of this server a member',
    access: 'ADMIN',
    scope: 'workspace:admin',
    body: Type.Object({ user_id: Type.String(), role: Type.Optional(GivenRole) }),
    reply: Type.Object(described),
    journal: ['audit.entity_created'],
    throws: ['already_member', 'not_found'],
  }),
  provision: post('/workspaces/:workspaceId/members/provision', {
    secrets: ['setup_url'],
    summary: 'Make a member by address, with an account and a link to set it up when there is none',
    access: 'ADMIN',
    scope: 'workspace:admin',
    body: Type.Object({ email: Email, role: Type.Optional(GivenRole), full_name: Type.Optional(line(100)) }),
    reply: Type.Object({
      user_id: Type.String(),
      email: Type.String(),
      role: Type.Enum([...roles]),
      created_user: Type.Boolean(),
      setup_url: Type.String({
        description: 'Shown this once; empty when the account is in use, or not only yours to set up',
      }),
      expires_at: Type.String({ description: 'End of the link; empty without one' }),
    }),
    journal: ['audit.entity_created'],
    throws: ['already_member', 'not_found', 'unavailable'],
  }),
  update: patch('/workspaces/:workspaceId/members/:memberId', {
    summary: 'Give a member another role, below your own',
    access: 'MANAGER',
    scope: 'workspace:admin',
    body: Type.Object({ role: Type.Enum([...roles]) }),
    reply: changed,
    journal: ['audit.entity_updated', 'run.cancelled'],
    throws: ['last_owner', 'not_found'],
  }),
  transfer: post('/workspaces/:workspaceId/members/:memberId/transfer', {
    summary: 'Hand your ownership over to a member and become an ADMIN',
    access: 'OWNER',
    stepUp: true,
    scope: 'workspace:admin',
    status: 200,
    reply: changed,
    journal: ['audit.entity_updated'],
    throws: ['not_found'],
  }),
  remove: del('/workspaces/:workspaceId/members/:memberId', {
    summary: 'Remove a member, or leave the workspace yourself',
    access: 'VIEWER',
    scope: 'workspace:admin',
    status: 200,
    reply: Type.Object({ success: Type.Boolean() }),
    journal: ['audit.entity_deleted', 'audit.entity_updated', 'run.cancelled'],
    throws: ['last_owner', 'not_found'],
  }),
}
