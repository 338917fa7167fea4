import { Type } from 'typebox'
import { audit, Word } from './define.ts'

const owner = { user_id: Type.String(), email: Word }

const ways = {
  password: 'signed in with a password',
  idp: 'signed in with the identity provider',
  bootstrap: 'signed in as the first user of this server',
}

/** The sentence for each reason why a session ended. */
const endings = {
  logout: (email: string) => `${email} signed out`,
  password_change: (email: string) => `A session of ${email} ended: the password was changed`,
  password_reset: (email: string) => `A session of ${email} ended: the password was reset`,
  admin_force: (email: string) => `A session of ${email} ended: the password was reset on the host`,
  admin_invalidate: (email: string) => `A session of ${email} was ended on the host`,
  user_revoked: (email: string) => `${email} ended one of their sessions`,
  refresh_replay: (email: string) => `A session of ${email} ended: its refresh token was used twice`,
  address_proved: (email: string) => `A session of ${email} ended: the owner of the address took the account over`,
  too_many: (email: string) => `A session of ${email} ended to make room for a new one`,
}
type Way = keyof typeof ways
type Reason = keyof typeof endings

export const sessionFacts = {
  'session.created': audit(
    'audit.entity_created',
    'session',
    Type.Object({ ...owner, via: Type.Enum(Object.keys(ways) as Way[]) }),
    ({ metadata: { email, via } }) => `${email} ${ways[via]}`,
  ),
  'session.deleted': audit(
    'audit.entity_deleted',
    'session',
    Type.Object({ ...owner, reason: Type.Enum(Object.keys(endings) as Reason[]) }),
    ({ metadata: { email, reason } }) => endings[reason](email),
  ),
}
