import type { Static } from 'typebox'
import type { Token as Schema, TokenUse } from '#contract/tokens'
import { age, status, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Token = Static<typeof Schema>

const stateOf = ({ revoked_at, expires_at, last_used_at }: Token): string => {
  if (revoked_at) return 'revoked'
  if (expires_at && Date.parse(expires_at) <= Date.now()) return 'expired'
  return last_used_at ? 'active' : 'unused'
}

export const tokenView: View<Token> = {
  name: ({ id }) => id,
  empty: 'There are no tokens. Next: muster tokens create NAME',
  columns: {
    NAME: ({ name }) => name,
    ID: ({ id }) => id,
    STATUS: (token) => status(stateOf(token)),
    TIER: ({ tier }) => word(tier),
    'LAST-USED': ({ last_used_at }) => when(last_used_at),
    EXPIRES: ({ expires_at }) => when(expires_at),
    SCOPES: ({ scopes }) => scopes?.join(' '),
    AGE: ({ created_at }) => age(created_at),
  },
}

export const tokenUseView: View<Static<typeof TokenUse>> = {
  name: ({ used_at, path }) => `${used_at} ${path ?? ''}`,
  empty: 'No uses are recorded. Only uses of ADMIN tokens are.',
  columns: {
    PATH: ({ path }) => path,
    ADDRESS: ({ remote_addr }) => remote_addr,
    PROGRAM: ({ user_agent }) => user_agent,
    AGE: ({ used_at }) => age(used_at),
  },
}
