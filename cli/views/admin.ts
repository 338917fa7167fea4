import type { Static } from 'typebox'
import type { AdminStats, AdminUser, AdminWorkspace } from '#contract/admin'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const adminStatsView: View<Static<typeof AdminStats>> = {
  name: ({ users }) => String(users),
  empty: 'There is nothing to count.',
  columns: {},
  detail: {
    Users: ({ users }) => users,
    Crews: ({ crews }) => crews,
    Agents: ({ agents }) => agents,
    'At work': ({ running }) => running,
  },
}

export const adminUserView: View<Static<typeof AdminUser>> = {
  name: ({ email }) => email,
  empty: 'The workspace has no users.',
  columns: {
    NAME: ({ email }) => email,
    'FULL-NAME': ({ full_name }) => full_name,
    ROLE: ({ role }) => word(role),
    ACCOUNT: ({ created_at }) => age(created_at),
  },
  wide: { 'USER-ID': ({ id }) => id, CREATED: ({ created_at }) => when(created_at) },
}

export const adminWorkspaceView: View<Static<typeof AdminWorkspace>> = {
  name: ({ slug }) => slug,
  empty: 'There is no workspace.',
  columns: {
    NAME: ({ slug }) => slug,
    'DISPLAY-NAME': ({ name }) => name,
    MEMBERS: ({ _count_members }) => _count_members,
    CREWS: ({ _count_crews }) => _count_crews,
    AGENTS: ({ _count_agents }) => _count_agents,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { ID: ({ id }) => id },
}
