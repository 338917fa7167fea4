import type { Context } from '../contexts/file.ts'
import type { View } from '../output/printer.ts'

export interface ContextRow extends Omit<Context, 'token'> {
  name: string
  current: boolean
  /** Whether a token is stored; the token itself is never shown. */
  has_token: boolean
}

export const contextMembers = ['name', 'current', 'server', 'workspace', 'user', 'has_token'] as const

export const rowOf = (name: string, { token, ...context }: Context, current: boolean): ContextRow => ({
  name,
  current,
  ...context,
  has_token: Boolean(token),
})

export const contextView: View<ContextRow> = {
  name: ({ name }) => name,
  empty: 'No server is stored yet. Next: muster login',
  columns: {
    NAME: ({ name, current }) => (current ? { text: `${name} *`, value: name, tone: 'green' } : name),
    SERVER: ({ server }) => server,
    WORKSPACE: ({ workspace }) => workspace,
    USER: ({ user }) => user,
    TOKEN: ({ has_token }) => (has_token ? { text: 'stored', tone: 'green' } : { text: 'none', tone: 'dim' }),
  },
}
