import type { Static } from 'typebox'
import type { AdminStats, AdminUser, AdminWorkspace } from '#contract/admin'
import type { Purged } from '#contract/data-subjects'
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

/** What an erasure did, by table. */
export const purgedView: View<Static<typeof Purged>> = {
  name: ({ action_id }) => action_id,
  columns: {},
  detail: {
    Action: ({ action_id }) => action_id,
    'Rows deleted': ({ rows_deleted }) => rows_deleted,
    'Rows unnamed': ({ rows_unnamed }) => rows_unnamed,
    'Membership ended': ({ membership_ended }) => (membership_ended ? 'yes' : 'no'),
    Journal: ({ journal_erasure }) => journal_erasure && { text: 'is being erased', value: journal_erasure.id },
    'Memory contents kept': ({ memory_blobs }) => memory_blobs.kept,
    Failed: ({ error }) => error ?? null,
  },
  below: ({ scope, unnamed }) => [tables('Deleted', scope), tables('Unnamed', unnamed)].filter(Boolean).join('\n'),
}

function tables(title: string, counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts).filter(([, count]) => count > 0)
  return rows.length ? [title, ...rows.map(([table, count]) => `  ${table}  ${count}`)].join('\n') : ''
}
