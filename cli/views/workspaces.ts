import type { Static } from 'typebox'
import type { Member } from '#contract/members'
import type { Workspace } from '#contract/workspaces'
import { when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const workspaceView: View<Static<typeof Workspace>> = {
  name: ({ slug }) => slug,
  empty: 'You are not a member of any workspace. Next: muster workspaces create NAME',
  columns: {
    SLUG: ({ slug }) => slug,
    NAME: ({ name }) => name,
    ROLE: ({ currentUserRole: role }) => role?.toLowerCase(),
    ID: ({ id }) => id,
    CREATED: ({ created_at }) => when(created_at),
  },
  detail: {
    Slug: ({ slug }) => slug,
    Name: ({ name }) => name,
    Id: ({ id }) => id,
    'Your role': ({ currentUserRole: role }) => role?.toLowerCase(),
    'Second approver': ({ require_second_approver: needed }) => (needed ? 'required' : 'not asked for'),
    'Second factor': ({ require_two_factor: needed }) => (needed ? 'required' : 'optional'),
    'Credential audit': ({ credential_audit_retention_days: days }) =>
      days === 0 ? 'kept for ever' : `${days ?? 90} days`,
    Language: ({ preferred_language }) => preferred_language,
    Crews: ({ _count }) => _count?.crews,
    Agents: ({ _count }) => _count?.agents,
    Members: ({ _count }) => _count?.members,
    Created: ({ created_at }) => when(created_at),
    Updated: ({ updated_at }) => when(updated_at),
  },
}

export const memberView: View<Static<typeof Member>> = {
  name: ({ user }) => user.email,
  columns: {
    EMAIL: ({ user }) => user.email,
    NAME: ({ user }) => user.full_name,
    ROLE: ({ role }) => role.toLowerCase(),
    'MEMBER ID': ({ id }) => id,
    'USER ID': ({ user_id }) => user_id,
    JOINED: ({ created_at }) => when(created_at),
  },
}
