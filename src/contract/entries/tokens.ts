import { Type } from 'typebox'
import { tiers } from '../tokens.ts'
import { audit, Word } from './define.ts'
import { quoted } from './quote.ts'

const token = {
  user_id: Type.String(),
  email: Word,
  tier: Type.Enum([...tiers]),
  scopes: Type.Optional(Type.Array(Type.String())),
  expires_at: Type.Optional(Type.String()),
}
const Creation = Type.Object({
  ...token,
  via: Type.Enum(['bootstrap', 'pairing', 'request', 'rotation']),
  adapter_hint: Type.Optional(Type.String()),
  replaces: Type.Optional(Type.String()),
})
const Deletion = Type.Object({
  ...token,
  replaced_by: Type.Optional(Type.String()),
  via: Type.Optional(Type.Literal('host')),
  reason: Type.Optional(Type.Literal('address_proved')),
})

/** `name` is the name that its user gave the token. */
export const tokenFacts = {
  'cli_token.created': audit(
    'audit.entity_created',
    'cli_token',
    Creation,
    ({ name = '', metadata: { email, via } }) => {
      if (via === 'pairing') return `${email} paired a device, which received the token ${quoted(name)}`
      return `${email} created the token ${quoted(name)}${via === 'rotation' ? ' in place of another one' : ''}`
    },
  ),
  'cli_token.deleted': audit('audit.entity_deleted', 'cli_token', Deletion, ({ name = '', metadata }) => {
    const { email, via, reason, replaced_by } = metadata
    if (via === 'host') return `The token ${quoted(name)} of ${email} was revoked on the host`
    if (reason)
      return `The token ${quoted(name)} of ${email} was revoked: the owner of the address took the account over`
    return `${email} ${replaced_by ? 'replaced' : 'revoked'} the token ${quoted(name)}`
  }),
}
