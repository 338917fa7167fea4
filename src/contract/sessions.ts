import { Type } from 'typebox'
import { get, post } from './define.ts'
import { page, Time } from './fields.ts'

/** A browser that is signed in. docs/rules/accounts.md, "Sessions". */
export const Session = Type.Object({
  id: Type.String(),
  created_at: Time,
  last_used_at: Time,
  user_agent: Type.Optional(Type.String()),
  ip: Type.Optional(Type.String()),
  is_current: Type.Boolean(),
})

const url = '/api/auth/callback/credentials'
const Flag = Type.Optional(Type.Union([Type.String(), Type.Boolean()]))

/**
 * What `create` answers when it cannot sign in. The last two only after the right password of a user who has a second
 * factor.
 */
export const signInErrors = ['CredentialsSignin', 'SecondFactorRequired', 'SecondFactorInvalid'] as const

/** Sign-in, its upkeep and its end. docs/rules/accounts.md, "Sign-in". */
export const sessions = {
  csrf: get('/api/auth/csrf', {
    root: true,
    summary: 'Get the token that a sign-in must carry, and its cookie',
    access: 'public',
    reply: Type.Object({ csrfToken: Type.String() }),
  }),
  providers: get('/api/auth/providers', {
    root: true,
    summary: 'List the ways to sign in',
    access: 'public',
    reply: Type.Object({
      credentials: Type.Object({
        id: Type.Literal('credentials'),
        name: Type.Literal('Credentials'),
        type: Type.Literal('credentials'),
        signinUrl: Type.Literal(url),
        callbackUrl: Type.Literal(url),
      }),
      idp: Type.Optional(
        Type.Object({
          id: Type.Literal('idp'),
          name: Type.String({ description: 'How people know the identity provider' }),
          type: Type.Literal('oidc'),
          signinUrl: Type.String(),
          callbackUrl: Type.String(),
        }),
      ),
    }),
  }),
  current: get('/api/auth/session', {
    root: true,
    summary: 'Say who is signed in by cookie; empty when nobody is',
    access: 'public',
    reply: Type.Object({
      user: Type.Optional(
        Type.Object({ id: Type.String(), name: Type.String(), email: Type.String(), avatar_url: Type.String() }),
      ),
      expires: Type.Optional(Time),
    }),
    throws: ['encryption_unavailable'],
  }),
  create: post(url, {
    root: true,
    summary: 'Sign in with email and password',
    access: 'public',
    rate: 'auth',
    status: 200,
    form: true,
    bodyLimit: 16 * 1024,
    body: Type.Object({
      email: Type.String(),
      password: Type.String(),
      csrfToken: Type.Optional(Type.String()),
      code: Type.Optional(Type.String({ description: 'Of the second factor, or a recovery code' })),
      callbackUrl: Type.Optional(Type.String()),
      json: Flag,
      redirect: Flag,
    }),
    query: Type.Object({ callbackUrl: Type.Optional(Type.String()) }),
    reply: Type.Object({
      ok: Type.Boolean(),
      url: Type.String(),
      status: Type.Optional(Type.Integer()),
      error: Type.Optional(Type.Enum([...signInErrors])),
    }),
    journal: ['audit.entity_created', 'audit.entity_updated'],
    throws: ['csrf_mismatch', 'encryption_unavailable'],
  }),
  refresh: post('/api/auth/token/refresh', {
    root: true,
    summary: 'Trade the refresh cookie for new cookies',
    access: 'public',
    rate: 'auth',
    status: 200,
    signsOut: true,
    reply: Type.Object({ ok: Type.Boolean(), expires: Time }),
    journal: ['audit.entity_deleted'],
    throws: ['encryption_unavailable', 'session_expired', 'session_revoked'],
  }),
  signin: get('/api/auth/signin', {
    root: true,
    kind: 'text',
    status: 302,
    summary: 'Go to the page where one signs in',
    access: 'public',
    query: Type.Object({ callbackUrl: Type.Optional(Type.String()) }),
  }),
  signout: post('/api/auth/signout', {
    root: true,
    summary: 'End the session of these cookies',
    access: 'public',
    rate: 'auth',
    status: 200,
    reply: Type.Object({ url: Type.String() }),
    journal: ['audit.entity_deleted'],
    throws: ['encryption_unavailable'],
  }),
  error: get('/api/auth/error', {
    root: true,
    summary: 'Say in words what went wrong at a sign-in',
    access: 'public',
    query: Type.Object({ error: Type.Optional(Type.String()) }),
    reply: Type.Object({ error: Type.String(), message: Type.String() }),
  }),
  list: get('/auth/sessions', {
    summary: 'List the browsers where you are signed in, the last used first',
    access: 'signed-in',
    query: Type.Object(page),
    reply: Type.Array(Session),
  }),
  confirm: post('/auth/step-up', {
    noDryRun: 'tries of a secret must be counted',
    summary: 'Show the second factor in this browser, for what asks for it',
    access: 'signed-in',
    unproven: true,
    rate: 'auth',
    status: 200,
    body: Type.Object({
      code: Type.String({ minLength: 1, maxLength: 100, description: 'Of the authenticator app, or a recovery code' }),
    }),
    reply: Type.Object({ ok: Type.Boolean(), until: Time }),
    journal: ['audit.entity_updated'],
    throws: [
      'session_required',
      'second_factor_missing',
      'second_factor_invalid',
      'account_locked',
      'encryption_unavailable',
    ],
  }),
  revoke: post('/auth/sessions/:sessionId/revoke', {
    summary: 'Sign out one of your browsers',
    access: 'signed-in',
    status: 200,
    reply: Type.Object({ ok: Type.Boolean(), id: Type.String(), is_current: Type.Boolean() }),
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
