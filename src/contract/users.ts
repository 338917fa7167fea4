import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Name, nullable } from './fields.ts'
import { PersonalData } from './personal-data.ts'

export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  full_name: nullable(Type.String()),
  avatar_url: nullable(Type.String()),
})

export const users = {
  me: get('/users/me', { summary: 'Show the signed-in user', access: 'signed-in', reply: User, throws: ['not_found'] }),
  update: patch('/users/me', {
    summary: 'Change your name',
    access: 'signed-in',
    body: Type.Object({ full_name: Name }),
    reply: User,
    journal: ['audit.entity_updated'],
    throws: ['not_found'],
  }),
  password: post('/users/me/password', {
    noDryRun: 'tries of a secret must be counted',
    summary: 'Change your password and sign out everywhere else',
    access: 'signed-in',
    rate: 'auth',
    status: 200,
    stepUp: true,
    body: Type.Object({
      current_password: Type.String(),
      new_password: Type.String({
        description: 'at least 8 characters, at most 72 bytes, and none of the most common passwords',
      }),
    }),
    reply: Type.Object({ success: Type.Literal(true), sessions_revoked: Type.Integer() }),
    journal: ['audit.entity_updated', 'audit.entity_deleted'],
    throws: ['account_locked', 'common_password', 'no_password_set', 'wrong_password'],
  }),
  setAvatar: post('/users/me/avatar', {
    summary: 'Set your picture: the file of a form, PNG, JPEG or WebP',
    access: 'signed-in',
    status: 200,
    upload: 'file',
    // The picture, and room for what a form adds to it.
    bodyLimit: 2 * 1024 * 1024 + 64 * 1024,
    overLimit: { code: 'invalid_field', field: 'file' },
    reply: User,
    journal: ['audit.entity_updated'],
    throws: ['not_found'],
  }),
  removeAvatar: del('/users/me/avatar', {
    summary: 'Remove your picture',
    access: 'signed-in',
    status: 200,
    reply: User,
    journal: ['audit.entity_updated'],
    throws: ['not_found'],
  }),
  export: get('/users/me/export', {
    summary: 'Get everything that is stored of your account',
    access: 'signed-in',
    rate: 'auth',
    stepUp: true,
    reply: PersonalData,
    throws: ['not_found'],
  }),
  avatar: get('/users/:userId/avatar', {
    summary: 'Get the picture of a user',
    access: 'signed-in',
    kind: 'text',
    media: ['image/png', 'image/jpeg', 'image/webp'],
    throws: ['not_found'],
  }),
}
