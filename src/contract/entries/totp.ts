import { Type } from 'typebox'
import { audit } from './define.ts'

const factor = Type.Array(Type.Literal('two_factor_at'))
const codes = Type.Array(Type.Literal('recovery_codes'))

const On = Type.Object({
  changed: factor,
  two_factor: Type.Literal(true),
  session_id: Type.Optional(Type.String({ description: 'The browser session that showed it' })),
})
const Off = Type.Object({
  changed: factor,
  two_factor: Type.Literal(false),
  via: Type.Optional(Type.Literal('host')),
})
const Used = Type.Object({ changed: codes, left: Type.Integer() })

/** `name` is the user's address. No entry holds a secret or a code. */
export const totpFacts = {
  'user.two_factor_on': audit('audit.entity_updated', 'user', On, ({ name }) => `${name} turned the second factor on`),
  'user.two_factor_moved': audit(
    'audit.entity_updated',
    'user',
    On,
    ({ name }) => `${name} moved the second factor to another app`,
  ),
  'user.two_factor_off': audit('audit.entity_updated', 'user', Off, ({ name, metadata }) =>
    metadata.via === 'host'
      ? `The second factor of ${name} was turned off on the host`
      : `${name} turned the second factor off`,
  ),
  'user.recovery_code_used': audit(
    'audit.entity_updated',
    'user',
    Used,
    ({ name, metadata: { left } }) => `${name} used a recovery code; ${left === 1 ? '1 is' : `${left} are`} left`,
  ),
  'user.recovery_codes_renewed': audit(
    'audit.entity_updated',
    'user',
    Type.Object({ changed: codes }),
    ({ name }) => `${name} created new recovery codes`,
  ),
}
