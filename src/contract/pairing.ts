import { Type } from 'typebox'
import { cliAdapters } from './agents.ts'
import { get, post } from './define.ts'
import { Time } from './fields.ts'

const Hint = Type.String({
  description: `What the device is for, as ${cliAdapters[0]}; anything but A-Z, 0-9 and _ is dropped`,
})

/**
 * Of a code that only the program may trade which asked for it, as RFC 7636 has it: whoever sees the code on its way
 * has nothing.
 */
const Challenge = Type.String({
  description: 'SHA-256 of a secret of the device, base64url: the code is worth nothing without that secret',
})
const Verifier = Type.String({
  maxLength: 200,
  description: 'The secret behind the challenge of the code; needed when it has one, refused when it has none',
})

export const pairing = {
  start: post('/auth/pair/start', {
    noDryRun: 'it gives out a code',
    summary: 'Make a code with which another device gets a token of yours',
    access: 'signed-in',
    stepUp: true,
    rate: 'auth',
    status: 200,
    body: Type.Object({ adapter_hint: Type.Optional(Hint), challenge: Type.Optional(Challenge) }),
    bodyOptional: true,
    malformed: 'ignore',
    reply: Type.Object({ code: Type.String({ description: 'XXXX-XXXX' }), expires_at: Time }),
    journal: false,
    throws: ['encryption_unavailable'],
  }),
  poll: get('/auth/pair/poll', {
    summary: 'Say whether a code of yours was redeemed',
    access: 'signed-in',
    query: Type.Object({ code: Type.String() }),
    reply: Type.Object({
      status: Type.Enum(['pending', 'consumed', 'expired']),
      adapter_hint: Type.Optional(Type.String()),
      expires_at: Type.String({ description: 'Empty when there is no such code' }),
    }),
    throws: ['encryption_unavailable'],
  }),
  redeem: post('/auth/pair/redeem', {
    summary: 'Trade a pairing code for a token',
    access: 'public',
    rate: 'auth',
    status: 200,
    body: Type.Object({ code: Type.String(), adapter_hint: Type.Optional(Hint), verifier: Type.Optional(Verifier) }),
    malformed: 'invalid_code',
    reply: Type.Object({
      cli_token: Type.String({ description: 'Shown this once' }),
      user_id: Type.String(),
      email: Type.String(),
    }),
    journal: ['audit.entity_created'],
    throws: ['invalid_code', 'encryption_unavailable'],
  }),
}
