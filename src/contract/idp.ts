import { Type } from 'typebox'
import { del, get } from './define.ts'
import { nullable, Time } from './fields.ts'

/** An account at an identity provider that signs in as this user. */
export const LinkedAccount = Type.Object({
  id: Type.String(),
  provider: Type.String({ description: "The provider's issuer, an address" }),
  provider_account_id: Type.String(),
  email: nullable(Type.String({ description: 'The address there, when it was last told' })),
  created_at: Time,
  last_used_at: Time,
})

/**
 * Sign-in with an identity provider. docs/rules/accounts.md, "Identity provider".
 */
export const idp = {
  status: get('/auth/idp/status', {
    summary: 'Say whether one can sign in with an identity provider',
    access: 'public',
    rate: 'auth',
    reply: Type.Object({ enabled: Type.Boolean() }),
  }),
  redirect: get('/auth/idp/redirect', {
    kind: 'text',
    status: 307,
    summary: 'Go to the identity provider to sign in, for browsers',
    access: 'public',
    rate: 'auth',
    query: Type.Object({ redirect: Type.Optional(Type.String({ description: 'Path to go to afterwards' })) }),
    throws: ['idp_not_configured', 'idp_unavailable', 'encryption_unavailable'],
  }),
  callback: get('/auth/idp/callback', {
    kind: 'text',
    status: 307,
    summary: 'Come back from the identity provider, signed in',
    access: 'public',
    rate: 'auth',
    query: Type.Object({
      state: Type.Optional(Type.String({ description: 'Required' })),
      code: Type.Optional(Type.String({ description: 'Required, unless the provider tells of an error' })),
      error: Type.Optional(Type.String({ description: 'Why the provider did not let one in' })),
    }),
    throws: [
      'idp_not_configured',
      'idp_state_unknown',
      'idp_refused',
      'idp_exchange_failed',
      'idp_email_unverified',
      'idp_sign_in_first',
      'idp_profile_failed',
      'idp_unavailable',
      'signup_disabled',
      'encryption_unavailable',
    ],
  }),
  links: get('/users/me/linked-accounts', {
    summary: 'List the accounts at identity providers that sign in as you',
    access: 'signed-in',
    reply: Type.Array(LinkedAccount),
  }),
  unlink: del('/users/me/linked-accounts/:linkId', {
    summary: 'Let an account at an identity provider sign in as you no more',
    access: 'signed-in',
    stepUp: true,
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'last_way_in'],
  }),
}
