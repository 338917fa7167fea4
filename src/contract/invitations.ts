import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Email, nullable, page, Time } from './fields.ts'
import { roles } from './roles.ts'

/** Roles that one person can give another; ownership is handed over. */
export const givenRoles = ['VIEWER', 'MEMBER', 'MANAGER', 'ADMIN'] as const
export const GivenRole = Type.Enum([...givenRoles], { description: 'ADMIN is given by an OWNER alone' })

/** An invitation as lists show it; its token is never among them. */
export const Invitation = Type.Object({
  id: Type.String(),
  workspace_id: Type.String(),
  email: Type.String(),
  role: Type.Enum([...roles]),
  invited_by: Type.String(),
  expires_at: Time,
  accepted_at: Type.Null({ description: 'what is listed is open' }),
  created_at: Time,
  inviter: Type.Object({ id: Type.String(), email: Type.String(), full_name: nullable(Type.String()) }),
})

/** An invitation as the invited person sees it. */
export const OwnInvitation = Type.Object({
  ...Invitation.properties,
  workspace: Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() }),
})

const joined = Type.Object({ workspace_id: Type.String(), role: Type.Enum([...roles]) })

export const invitations = {
  list: get('/workspaces/:workspaceId/invitations', {
    summary: 'List the open invitations of a workspace, newest first',
    access: 'ADMIN',
    query: Type.Object(page),
    reply: Type.Array(Invitation),
    throws: ['not_found'],
  }),
  create: post('/workspaces/:workspaceId/invitations', {
    secrets: ['token', 'link'],
    summary: 'Invite an address to the workspace for seven days',
    access: 'ADMIN',
    scope: 'workspace:admin',
    body: Type.Object({ email: Email, role: Type.Optional(GivenRole) }),
    reply: Type.Object({
      ...Invitation.properties,
      token: Type.String({ description: 'Shown this once; whoever holds it may accept' }),
      link: nullable(Type.String({ description: 'Page for the invited person; null without SVC_PUBLIC_URL' })),
    }),
    journal: ['audit.entity_created'],
    throws: ['already_member', 'invitation_exists', 'not_found'],
  }),
  revoke: del('/workspaces/:workspaceId/invitations/:invitationId', {
    summary: 'Take an open invitation back',
    access: 'ADMIN',
    scope: 'workspace:admin',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  mine: get('/invitations', {
    summary: 'List the open invitations to your own address, newest first',
    access: 'signed-in',
    query: Type.Object(page),
    reply: Type.Array(OwnInvitation),
  }),
  redeem: post('/invitations/redeem', {
    noDryRun: 'tries of a secret must be counted',
    summary: 'Accept an invitation by its token',
    access: 'signed-in',
    status: 200,
    rate: 'auth',
    body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
    reply: joined,
    journal: ['audit.entity_updated'],
    throws: ['already_member', 'invalid_token'],
  }),
  accept: post('/invitations/:invitationId/accept', {
    summary: 'Accept an invitation to your address',
    access: 'signed-in',
    status: 200,
    reply: joined,
    journal: ['audit.entity_updated'],
    throws: ['already_member', 'not_found'],
  }),
  decline: post('/invitations/:invitationId/decline', {
    summary: 'Decline an invitation to your address',
    access: 'signed-in',
    status: 200,
    reply: joined,
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
