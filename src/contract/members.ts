import { Type } from 'typebox'
import { get } from './define.ts'
import { page, Time } from './fields.ts'
import { roles } from './roles.ts'
import { User } from './users.ts'

export const Member = Type.Object({
  id: Type.String(),
  workspace_id: Type.String(),
  user_id: Type.String(),
  role: Type.Enum([...roles]),
  created_at: Time,
  updated_at: Time,
  user: User,
})

export const members = {
  list: get('/workspaces/:workspaceId/members', {
    summary: 'List the members of a workspace, oldest first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(Member),
    throws: ['not_found'],
  }),
}
