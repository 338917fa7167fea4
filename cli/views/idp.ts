import type { Static } from 'typebox'
import type { idp, LinkedAccount } from '#contract/idp'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const idpView: View<Static<typeof idp.status.reply>> = {
  name: ({ enabled }) => (enabled ? 'identity provider' : ''),
  empty: '',
  columns: {
    'IDENTITY PROVIDER': ({ enabled }) =>
      enabled ? 'yes: start at /api/v1/auth/idp/redirect in a browser' : 'not configured',
  },
}

export const linkView: View<Static<typeof LinkedAccount>> = {
  name: ({ id }) => id,
  empty: 'No account at an identity provider signs in as you. Sign in with one in a browser to link it.',
  columns: {
    ID: ({ id }) => id,
    PROVIDER: ({ provider }) => provider,
    EMAIL: ({ email }) => email,
    'LAST-USED': ({ last_used_at }) => when(last_used_at),
    AGE: ({ created_at }) => age(created_at),
  },
}
