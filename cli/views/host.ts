import type { HostReply, HostSession, HostUser } from '#contract/host'
import { age, status, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

const plural = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`

export const hostUserView: View<HostUser> = {
  name: ({ email }) => email,
  empty: 'There are no users. Next: muster up, then muster init',
  columns: {
    NAME: ({ email }) => email,
    'FULL-NAME': ({ full_name }) => full_name,
    ROLE: ({ home_role, workspaces }) =>
      home_role?.toLowerCase() ?? (workspaces ? `in ${plural(workspaces, 'workspace', 'workspaces')}` : null),
    '2FA': ({ two_factor }) => two_factor,
    'LOCKED-UNTIL': ({ locked_until }) => when(locked_until),
    'LAST-SIGN-IN': ({ last_sign_in_at }) => when(last_sign_in_at),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { ID: ({ id }) => id },
}

const stateOf = ({ revoked_at, expires_at }: HostSession): string =>
  revoked_at ? 'revoked' : Date.parse(expires_at) <= Date.now() ? 'expired' : 'active'

export const hostSessionView: View<HostSession> = {
  name: ({ id }) => id,
  empty: 'There are no sessions.',
  columns: {
    ID: ({ id }) => id,
    EMAIL: ({ email }) => email,
    STATUS: (session) => status(stateOf(session)),
    REASON: ({ revoked_reason }) => revoked_reason,
    'LAST-USED': ({ last_used_at }) => when(last_used_at),
    EXPIRES: ({ expires_at }) => when(expires_at),
    ADDRESS: ({ ip }) => ip,
    PROGRAM: ({ user_agent }) => user_agent,
    AGE: ({ created_at }) => age(created_at),
  },
}

export const promotedView: View<HostReply<'promote'>> = {
  name: ({ email }) => email,
  columns: {
    Email: ({ email }) => email,
    Workspace: ({ workspace }) => workspace,
    Role: ({ role }) => role.toLowerCase(),
    Before: ({ previous_role }) => previous_role?.toLowerCase(),
  },
}

export const resetView: View<HostReply<'reset-password'>> = {
  name: ({ email }) => email,
  columns: {
    Email: ({ email }) => email,
    Unlocked: ({ unlocked }) => unlocked,
    'Sessions ended': ({ sessions }) => sessions,
    'Second factor': ({ two_factor }) => (two_factor ? 'on' : 'off'),
  },
}

export const invalidatedView: View<HostReply<'invalidate-sessions'>> = {
  name: ({ sessions }) => String(sessions),
  columns: {
    Users: ({ users }) => users,
    Sessions: ({ sessions }) => sessions,
    Tokens: ({ tokens }) => tokens,
  },
}
