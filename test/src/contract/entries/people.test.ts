import { describe, expect, it } from 'vitest'
import { definitionOf, type FactName, facts, type Payload } from '#contract/entries'

const names = { actor: 'ada@example.com', person: 'Ada Lovelace', agent: 'grace', crew: 'backend' }
const [ada, grace, bob] = ['ada@example.com', 'grace@example.com', 'bob@example.com']
const user = (metadata: object = {}) => ({ entity_id: 'u1', name: grace, metadata })
const session = (metadata: object) => ({ entity_id: 's1', metadata: { user_id: 'u1', email: grace, ...metadata } })
const token = (metadata: object) => ({
  entity_id: 't1',
  name: 'laptop',
  metadata: { user_id: 'u1', email: grace, tier: 'STANDARD', ...metadata },
})
const link = (metadata: object = {}) => ({
  entity_id: 'l1',
  metadata: { user_id: 'u1', email: grace, provider: 'https://accounts.google.com', ...metadata },
})
const member = (metadata: object, name: string | undefined = 'Grace Hopper') => ({
  entity_id: 'm1',
  ...(name && { name }),
  metadata: { user_id: 'u1', email: grace, ...metadata },
})
const offer = (metadata: object = {}) => ({ entity_id: 'i1', metadata: { email: grace, role: 'MEMBER', ...metadata } })
const limit = (overridden: boolean) => ({
  entity_id: 'http.auth_per_min',
  name: 'http.auth_per_min',
  metadata: { from: 10, to: 20, overridden },
})

const told: [FactName, object, string][] = [
  ['user.created', { entity_id: 'u1', name: grace }, 'grace@example.com created an account'],
  ['user.created', user({ via: 'idp' }), 'grace@example.com created an account with the identity provider'],
  ['user.created', user({ via: 'provision' }), 'ada@example.com created an account for grace@example.com'],
  ['user.updated', user({ changed: ['full_name'] }), 'grace@example.com changed their name'],
  ['user.updated', user({ changed: ['avatar_url'] }), 'grace@example.com changed their picture'],
  [
    'user.locked',
    user({ changed: ['locked_until'], locked_until: '2026-01-01T00:15:00Z' }),
    'The account of grace@example.com is locked until 2026-01-01T00:15:00Z: too many wrong passwords or codes',
  ],
  ['user.password_changed', user({ changed: ['password'] }), 'The password of grace@example.com was changed'],
  ['user.password_reset', user({ via: 'password_reset' }), 'The password of grace@example.com was reset with a link'],
  ['user.password_reset', user({ via: 'host' }), 'The password of grace@example.com was reset on the host'],
  [
    'user.signed_out',
    user({ sessions: 1, tokens: 2 }),
    'grace@example.com was signed out on the host: 1 session and 2 tokens ended',
  ],
  [
    'user.reclaimed',
    user({ sessions: 1, tokens: 2 }),
    'The owner of the address grace@example.com took the account over: every other way in was closed',
  ],
  ['user.two_factor_on', user(), 'grace@example.com turned the second factor on'],
  ['user.two_factor_moved', user(), 'grace@example.com moved the second factor to another app'],
  ['user.two_factor_off', user(), 'grace@example.com turned the second factor off'],
  ['user.two_factor_off', user({ via: 'host' }), 'The second factor of grace@example.com was turned off on the host'],
  ['user.recovery_code_used', user({ left: 1 }), 'grace@example.com used a recovery code; 1 is left'],
  ['user.recovery_code_used', user({ left: 0 }), 'grace@example.com used a recovery code; 0 are left'],
  ['user.recovery_codes_renewed', user(), 'grace@example.com created new recovery codes'],
  ['session.created', session({ via: 'password' }), 'grace@example.com signed in with a password'],
  ['session.created', session({ via: 'idp' }), 'grace@example.com signed in with the identity provider'],
  ['session.created', session({ via: 'bootstrap' }), 'grace@example.com signed in as the first user of this server'],
  ['session.deleted', session({ reason: 'logout' }), 'grace@example.com signed out'],
  [
    'session.deleted',
    session({ reason: 'password_change' }),
    'A session of grace@example.com ended: the password was changed',
  ],
  [
    'session.deleted',
    session({ reason: 'password_reset' }),
    'A session of grace@example.com ended: the password was reset',
  ],
  [
    'session.deleted',
    session({ reason: 'admin_force' }),
    'A session of grace@example.com ended: the password was reset on the host',
  ],
  ['session.deleted', session({ reason: 'admin_invalidate' }), 'A session of grace@example.com was ended on the host'],
  ['session.deleted', session({ reason: 'user_revoked' }), 'grace@example.com ended one of their sessions'],
  [
    'session.deleted',
    session({ reason: 'refresh_replay' }),
    'A session of grace@example.com ended: its refresh token was used twice',
  ],
  [
    'session.deleted',
    session({ reason: 'address_proved' }),
    'A session of grace@example.com ended: the owner of the address took the account over',
  ],
  [
    'session.deleted',
    session({ reason: 'too_many' }),
    'A session of grace@example.com ended to make room for a new one',
  ],
  ['cli_token.created', token({ via: 'request' }), 'grace@example.com created the token "laptop"'],
  ['cli_token.created', token({ via: 'bootstrap' }), 'grace@example.com created the token "laptop"'],
  [
    'cli_token.created',
    token({ via: 'rotation' }),
    'grace@example.com created the token "laptop" in place of another one',
  ],
  [
    'cli_token.created',
    token({ via: 'pairing' }),
    'grace@example.com paired a device, which received the token "laptop"',
  ],
  ['cli_token.deleted', token({}), 'grace@example.com revoked the token "laptop"'],
  ['cli_token.deleted', token({ replaced_by: 't2' }), 'grace@example.com replaced the token "laptop"'],
  ['cli_token.deleted', token({ via: 'host' }), 'The token "laptop" of grace@example.com was revoked on the host'],
  [
    'cli_token.deleted',
    token({ reason: 'address_proved' }),
    'The token "laptop" of grace@example.com was revoked: the owner of the address took the account over',
  ],
  ['linked_account.created', link(), 'grace@example.com linked an account at accounts.google.com'],
  ['linked_account.deleted', link(), 'grace@example.com unlinked an account at accounts.google.com'],
  [
    'linked_account.deleted',
    link({ reason: 'address_proved' }),
    'An account at accounts.google.com was unlinked from grace@example.com: ' +
      'the owner of the address took the account over',
  ],
  [
    'workspace_member.created',
    member({ role: 'MEMBER' }),
    'Grace Hopper (grace@example.com) was added as MEMBER by ada@example.com',
  ],
  [
    'workspace_member.created',
    member({ role: 'OWNER', via: 'host' }, ''),
    'grace@example.com was added as OWNER on the host',
  ],
  [
    'workspace_member.updated',
    member({ role: 'ADMIN', previous_role: 'MEMBER' }),
    'The role of Grace Hopper (grace@example.com) was changed from MEMBER to ADMIN by ada@example.com',
  ],
  [
    'workspace_member.updated',
    member({ role: 'ADMIN', previous_role: 'MEMBER', via: 'host' }),
    'The role of Grace Hopper (grace@example.com) was changed from MEMBER to ADMIN on the host',
  ],
  [
    'workspace_member.deleted',
    member({ role: 'MEMBER' }),
    'Grace Hopper (grace@example.com) was removed from the workspace by ada@example.com',
  ],
  [
    'workspace_member.deleted',
    member({ role: 'MEMBER', email: ada }, 'Ada Lovelace'),
    'Ada Lovelace (ada@example.com) left the workspace',
  ],
  [
    'workspace_member.capabilities_changed',
    member({ from: ['chat'], to: ['chat', 'credential.rotate'] }),
    'The capabilities of Grace Hopper (grace@example.com) were changed to chat, credential.rotate by ada@example.com',
  ],
  ['invitation.created', offer(), 'ada@example.com invited grace@example.com as MEMBER'],
  ['invitation.accepted', offer({ email: ada }), 'Ada Lovelace (ada@example.com) joined as MEMBER'],
  [
    'invitation.accepted',
    offer({ email: bob }),
    'Ada Lovelace (ada@example.com) joined as MEMBER with the invitation for bob@example.com',
  ],
  ['invitation.declined', offer(), 'Ada Lovelace (ada@example.com) declined the invitation to join as MEMBER'],
  ['invitation.revoked', offer(), 'ada@example.com withdrew the invitation for grace@example.com'],
  [
    'invitation.revoked',
    offer({ reason: 'its sender may invite no more' }),
    'The invitation for grace@example.com was withdrawn: its sender may invite no more',
  ],
  ['rate_limit.updated', limit(true), 'ada@example.com changed the limit http.auth_per_min from 10 to 20'],
  ['rate_limit.updated', limit(false), 'ada@example.com reset the limit http.auth_per_min from 10 to its default, 20'],
]

describe('the sentence of a fact about people', () => {
  it.each(told)('%s of %j is %s', (name, payload, sentence) =>
    expect(definitionOf(name).says(payload as Payload<FactName>, names)).toBe(sentence),
  )

  it('is tested for each of them', () => {
    const entities = /^(user|session|cli_token|linked_account|workspace_member|invitation|rate_limit)\./
    const all = Object.keys(facts).filter((name) => entities.test(name))
    expect([...new Set(told.map(([name]) => name))].sort()).toEqual(all.sort())
  })
})
