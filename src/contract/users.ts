import { Type } from 'typebox'
import { get, patch } from './define.ts'
import { Name, nullable } from './fields.ts'

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
}
