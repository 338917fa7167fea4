import type { Origin } from '../contexts/session.ts'
import { status, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

/** Who this command line is, and to whom. */
export interface AuthStatus {
  state: 'signed in' | 'signed out' | 'expired' | 'not accepted'
  user: string | null
  server: string
  server_from: Origin
  context: string | null
  token_from: Origin | null
  kind: 'token' | 'session' | null
  tier: string | null
  /** Null: everything that the person may do. */
  scopes: string[] | null
  expires_at: string | null
}

/** What `muster auth status --json` holds. */
export const authMembers = [
  'state',
  'user',
  'server',
  'server_from',
  'context',
  'token_from',
  'kind',
  'tier',
  'scopes',
  'expires_at',
] as const satisfies (keyof AuthStatus)[]

const names: Readonly<Record<Origin, string>> = {
  flag: '--server',
  environment: 'the environment',
  project: 'the file of the project',
  context: 'a context',
  default: 'this machine',
}

const origin = (from: Origin, context: string | null): string =>
  from === 'context' && context ? `the context ${context}` : names[from]

const tones = { 'signed in': 'green', 'signed out': 'yellow', expired: 'red', 'not accepted': 'red' } as const

export const authView: View<AuthStatus> = {
  name: ({ user, state }) => user ?? state,
  columns: {
    State: ({ state }) => ({ text: state, value: state, tone: tones[state] }),
    User: ({ user }) => user,
    Server: ({ server, server_from, context }) => ({
      text: `${server} (from ${origin(server_from, context)})`,
      value: server,
    }),
    Token: ({ token_from, context }) =>
      token_from === null
        ? null
        : {
            text: `from ${token_from === 'environment' ? 'SVC_TOKEN' : origin(token_from, context)}`,
            value: token_from,
          },
    Kind: ({ kind }) => kind,
    Tier: ({ tier }) => status(tier),
    Scopes: ({ scopes, state }) => (state === 'signed in' ? (scopes?.join(' ') ?? 'all of yours') : null),
    Expires: ({ expires_at, state }) => when(expires_at) ?? (state === 'signed in' ? 'never' : null),
  },
}
