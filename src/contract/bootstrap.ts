import { Type } from 'typebox'
import { post } from './define.ts'
import { Email, line } from './fields.ts'

/** What a person signs up with. docs/rules/accounts.md, "Sign-up". */
export const SignUp = Type.Object({
  full_name: Type.String({ ...line(100), minLength: 2 }),
  email: Email,
  password: Type.String({
    minLength: 8,
    description: 'at least 8 characters, at most 72 bytes, and none of the most common passwords',
  }),
})

export const bootstrap = {
  create: post('/bootstrap', {
    summary: 'Create the first user of an empty server, its workspace and a token',
    access: 'public',
    rate: 'auth',
    body: SignUp,
    reply: Type.Object({
      user_id: Type.String(),
      email: Type.String(),
      workspace_id: Type.String(),
      cli_token: Type.String({ description: 'Shown this once' }),
      session_pending: Type.Optional(
        Type.Boolean({ description: 'The account was made (status 200), but no session' }),
      ),
    }),
    journal: ['audit.entity_created'],
    throws: ['already_initialized', 'bootstrap_closed', 'common_password', 'unavailable'],
  }),
}
