import type { Static } from 'typebox'
import type { totp } from '#contract/totp'
import { when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type TwoFactor = Static<typeof totp.show.reply>

const stateOf = ({ enabled, pending }: TwoFactor): string => {
  if (enabled) return pending ? 'on, another app is being set up' : 'on'
  return pending ? 'off, waiting for its first code' : 'off'
}

export const twoFactorView: View<TwoFactor> = {
  name: ({ enabled }) => (enabled ? 'on' : 'off'),
  columns: {
    'Second factor': stateOf,
    Since: ({ since }) => when(since),
    'Recovery codes left': ({ enabled, recovery_codes_left }) => (enabled ? String(recovery_codes_left) : null),
    'Required by': ({ required_by }) => required_by.map(({ slug }) => slug).join(', '),
  },
}
