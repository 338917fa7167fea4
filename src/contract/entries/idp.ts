import { Type } from 'typebox'
import { audit, Word } from './define.ts'

const Link = Type.Object({
  user_id: Type.String(),
  email: Word,
  provider: Word,
})
const Unlink = Type.Object({ ...Link.properties, reason: Type.Optional(Type.Literal('address_proved')) })

const hostOf = (provider: string) => provider.replace(/^https?:\/\//, '')

export const idpFacts = {
  'linked_account.created': audit(
    'audit.entity_created',
    'linked_account',
    Link,
    ({ metadata: { email, provider } }) => `${email} linked an account at ${hostOf(provider)}`,
  ),
  'linked_account.deleted': audit(
    'audit.entity_deleted',
    'linked_account',
    Unlink,
    ({ metadata: { email, provider, reason } }) =>
      reason
        ? `An account at ${hostOf(provider)} was unlinked from ${email}: the owner of the address took the account over`
        : `${email} unlinked an account at ${hostOf(provider)}`,
  ),
}
