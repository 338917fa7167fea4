import { Type } from 'typebox'
import { SignUp } from './bootstrap.ts'
import { post } from './define.ts'

/** The same words for whoever asks, whatever became of it: an answer must not tell which addresses have accounts. */
const Told = Type.Object({ ok: Type.Boolean(), message: Type.String() })

export const accounts = {
  create: post('/auth/signup', {
    summary: 'Make an account of your own, where the server allows it',
    access: 'public',
    rate: 'auth',
    status: 202,
    body: SignUp,
    reply: Told,
    journal: ['audit.entity_created'],
    throws: ['signup_disabled', 'common_password'],
  }),
  forgot: post('/auth/forgot', {
    summary: 'Ask for a mail with which a forgotten password is replaced',
    access: 'public',
    rate: 'auth',
    status: 200,
    body: Type.Object({ email: Type.String() }),
    bodyOptional: true,
    malformed: 'ignore',
    reply: Told,
    journal: false,
  }),
  reset: post('/auth/reset', {
    summary: 'Set a new password with the token of that mail, and end every session',
    access: 'public',
    rate: 'auth',
    status: 200,
    body: Type.Object({
      token: Type.Optional(Type.String({ description: 'what the link in the mail holds' })),
      new_password: Type.String({
        minLength: 8,
        description: 'at least 8 characters, at most 72 bytes, and none of the most common passwords',
      }),
    }),
    reply: Type.Object({ ok: Type.Boolean() }),
    journal: ['audit.entity_updated'],
    throws: ['invalid_token', 'common_password'],
  }),
}
