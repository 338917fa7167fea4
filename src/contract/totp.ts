import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { nullable, Time } from './fields.ts'

const code = Type.String({ minLength: 1, maxLength: 100, description: 'Of the authenticator app, or a recovery code' })
const password = Type.Optional(Type.String({ description: 'Your password, when you have one' }))
const Codes = Type.Array(Type.String(), { description: 'Each is good once, in place of a code. Shown this once' })
const Asking = Type.Array(Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String() }))

/**
 * The second factor of one's own account: codes of an authenticator app (RFC 6238), and recovery codes for when it is
 * lost.
 */
export const totp = {
  show: get('/users/me/totp', {
    summary: 'Say whether your account has a second factor',
    access: 'signed-in',
    reply: Type.Object({
      enabled: Type.Boolean(),
      since: nullable(Time),
      recovery_codes_left: Type.Integer(),
      pending: Type.Boolean({ description: 'Set-up was started and waits for its first code' }),
      needs_password: Type.Boolean({ description: 'Changes ask for the password' }),
      required_by: Type.Unsafe<{ id: string; slug: string; name: string }[]>({
        ...Asking,
        description: 'Your workspaces that ask their members for one',
      }),
    }),
  }),
  start: post('/users/me/totp', {
    noDryRun: 'tries of a secret must be counted',
    summary: 'Begin to set up a second factor, or to move it to another device',
    access: 'signed-in',
    rate: 'auth',
    body: Type.Object({ password, code: Type.Optional(code) }),
    bodyOptional: true,
    reply: Type.Object({
      secret: Type.String({ description: 'Base32, for apps that take no QR code. Shown this once' }),
      uri: Type.String({ description: 'otpauth://totp/..., to be shown as a QR code' }),
      expires_at: Time,
    }),
    journal: ['audit.entity_updated'],
    throws: [
      'missing_field',
      'wrong_password',
      'account_locked',
      'fresh_session_required',
      'second_factor_invalid',
      'encryption_unavailable',
    ],
  }),
  confirm: post('/users/me/totp/confirm', {
    noDryRun: 'tries of a secret must be counted',
    summary: 'Finish setting up with a first code, and get recovery codes',
    access: 'signed-in',
    rate: 'auth',
    status: 200,
    body: Type.Object({ code }),
    reply: Type.Object({ since: Time, recovery_codes: Codes }),
    journal: ['audit.entity_updated'],
    throws: ['second_factor_not_started', 'second_factor_invalid', 'encryption_unavailable'],
  }),
  renew: post('/users/me/totp/recovery-codes', {
    noDryRun: 'tries of a secret must be counted',
    summary: 'Get new recovery codes; the old ones are void',
    access: 'signed-in',
    rate: 'auth',
    body: Type.Object({ code }),
    reply: Type.Object({ recovery_codes: Codes }),
    journal: ['audit.entity_updated'],
    throws: ['second_factor_missing', 'second_factor_invalid', 'account_locked', 'encryption_unavailable'],
  }),
  remove: del('/users/me/totp', {
    noDryRun: 'tries of a secret must be counted',
    summary: 'Turn the second factor off',
    access: 'signed-in',
    rate: 'auth',
    status: 200,
    body: Type.Object({ code, password }),
    reply: Type.Object({
      enabled: Type.Boolean(),
      barred_from: Type.Unsafe<{ id: string; slug: string; name: string }[]>(Asking),
    }),
    journal: ['audit.entity_updated'],
    throws: [
      'second_factor_missing',
      'second_factor_invalid',
      'wrong_password',
      'account_locked',
      'encryption_unavailable',
    ],
  }),
}
