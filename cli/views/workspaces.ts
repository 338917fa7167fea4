import type { Static } from 'typebox'
import type { Member } from '#contract/members'
import type { Workspace } from '#contract/workspaces'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const workspaceView: View<Static<typeof Workspace>> = {
  name: ({ slug }) => slug,
  empty: 'You are not a member of any workspace. Next: muster workspaces create NAME',
  columns: {
    NAME: ({ slug }) => slug,
    'DISPLAY-NAME': ({ name }) => name,
    ROLE: ({ currentUserRole: role }) => word(role),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { ID: ({ id }) => id },
  detail: {
    Slug: ({ slug }) => slug,
    Name: ({ name }) => name,
    Id: ({ id }) => id,
    'Your role': ({ currentUserRole: role }) => role?.toLowerCase(),
    'Second approver': ({ require_second_approver: needed }) => (needed ? 'required' : 'not asked for'),
    'Second factor': ({ require_two_factor: needed }) => (needed ? 'required' : 'optional'),
    'Credential audit': ({ credential_audit_retention_days: days }) =>
      days === 0 ? 'kept for ever' : `${days ?? 90} days`,
    Journal: ({ journal_retention_days: days }) => (days === 0 ? 'kept for ever' : `in full for ${days ?? 30} days`),
    'Tool arguments': ({ journal_tool_arguments: shown }) => (shown ? 'in the journal' : 'not shown'),
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
    NAME: ({ user }) => user.email,
    'FULL-NAME': ({ user }) => user.full_name,
    ROLE: ({ role }) => word(role),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { 'MEMBER-ID': ({ id }) => id, 'USER-ID': ({ user_id }) => user_id },
}
