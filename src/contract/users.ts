import { Type } from 'typebox'
import { get } from './define.ts'
import { nullable } from './fields.ts'

export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  full_name: nullable(Type.String()),
  avatar_url: nullable(Type.String()),
})

export const users = {
  me: get('/users/me', { summary: 'Show the signed-in user', access: 'signed-in', reply: User, throws: ['not_found'] }),
}
