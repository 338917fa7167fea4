import { Type } from 'typebox'
import { audit } from './define.ts'

const changed = <const M extends readonly string[]>(...members: M) => Type.Array(Type.Enum([...members]))

const Creation = Type.Object({ via: Type.Optional(Type.Enum(['idp', 'provision'])) })
const Profile = Type.Object({ changed: changed('full_name', 'avatar_url') })
const Lock = Type.Object({ changed: changed('locked_until'), locked_until: Type.String() })
const PasswordChange = Type.Object({
  changed: changed('password'),
  session_id: Type.Optional(Type.String({ description: 'The browser session that changed it, which goes on' })),
})
const PasswordReset = Type.Object({
  changed: changed('password', 'locked_until'),
  via: Type.Enum(['password_reset', 'host'], { description: 'By a link to the user, or on the host' }),
})
const SignOut = Type.Object({
  changed: Type.Array(Type.Never()),
  sessions: Type.Integer({ description: 'How many end' }),
  tokens: Type.Integer({ description: 'How many end' }),
  via: Type.Literal('host'),
})
const Reclaim = Type.Object({
  changed: changed('password', 'email_verified_at'),
  via: Type.Literal('idp'),
  sessions: Type.Integer({ description: 'How many end' }),
  tokens: Type.Integer({ description: 'How many end' }),
})

const words: Record<string, string> = { full_name: 'name', avatar_url: 'picture' }
const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`

/** `name` is the user's address. */
export const userFacts = {
  'user.created': audit('audit.entity_created', 'user', Creation, ({ name, metadata }, { actor }) => {
    if (metadata?.via === 'provision') return `${actor} created an account for ${name}`
    return `${name} created an account${metadata?.via === 'idp' ? ' with the identity provider' : ''}`
  }),
  'user.updated': audit(
    'audit.entity_updated',
    'user',
    Profile,
    ({ name, metadata }) => `${name} changed their ${metadata.changed.map((it) => words[it]).join(' and ')}`,
  ),
  'user.locked': audit(
    'audit.entity_updated',
    'user',
    Lock,
    ({ name, metadata }) =>
      `The account of ${name} is locked until ${metadata.locked_until}: too many wrong passwords or codes`,
    { severity: 'warn' },
  ),
  'user.password_changed': audit(
    'audit.entity_updated',
    'user',
    PasswordChange,
    ({ name }) => `The password of ${name} was changed`,
  ),
  'user.password_reset': audit('audit.entity_updated', 'user', PasswordReset, ({ name, metadata }) => {
    const way = metadata.via === 'host' ? 'on the host' : 'with a link'
    return `The password of ${name} was reset ${way}`
  }),
  'user.signed_out': audit(
    'audit.entity_updated',
    'user',
    SignOut,
    ({ name, metadata: { sessions, tokens } }) =>
      `${name} was signed out on the host: ${count(sessions, 'session')} and ${count(tokens, 'token')} ended`,
  ),
  'user.reclaimed': audit(
    'audit.entity_updated',
    'user',
    Reclaim,
    ({ name }) => `The owner of the address ${name} took the account over: every other way in was closed`,
    { severity: 'warn' },
  ),
}
