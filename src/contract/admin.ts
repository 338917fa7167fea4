import { Type } from 'typebox'
import { get } from './define.ts'
import { nullable, page, Time } from './fields.ts'
import { roles } from './roles.ts'

const count = Type.Integer({ minimum: 0 })

/** What a workspace holds, in numbers. */
export const AdminStats = Type.Object({
  workspaces: Type.Literal(1, { description: 'The one that was asked for' }),
  users: count,
  crews: count,
  agents: count,
  running: Type.Integer({ minimum: 0, description: 'Agents that work at the moment' }),
})

/** A user of the workspace, as who owns it sees them. */
export const AdminUser = Type.Object({
  id: Type.String(),
  email: Type.String(),
  full_name: nullable(Type.String()),
  avatar_url: nullable(Type.String()),
  created_at: Time,
  workspace: Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() }),
  role: Type.Enum([...roles]),
})

export const AdminWorkspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  created_at: Time,
  updated_at: Time,
  _count_members: count,
  _count_agents: count,
  _count_crews: count,
})

export const admin = {
  stats: get('/admin/stats', {
    summary: 'Count what the workspace holds',
    access: 'OWNER',
    reply: AdminStats,
  }),
  users: get('/admin/users', {
    summary: 'List the users of the workspace with their roles, newest account first',
    access: 'OWNER',
    query: Type.Object(page),
    reply: Type.Array(AdminUser),
  }),
  workspaces: get('/admin/workspaces', {
    summary: 'Show the workspace and what it holds, as a list of one',
    access: 'OWNER',
    reply: Type.Array(AdminWorkspace),
  }),
}
