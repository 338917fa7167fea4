import { Type } from 'typebox'
import { Purged, SubjectData } from './data-subjects.ts'
import { del, get } from './define.ts'
import { nullable, page, prose, Time } from './fields.ts'
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
  exportData: get('/admin/users/:userId/data', {
    summary: 'Get what the workspace keeps about a person',
    access: 'ADMIN',
    stepUp: true,
    reply: SubjectData,
    journal: ['audit.entity_created'],
    throws: ['not_found', 'unavailable'],
  }),
  purgeData: del('/admin/users/:userId/data', {
    summary: 'Erase a person from the workspace',
    access: 'ADMIN',
    scope: 'workspace:admin',
    stepUp: true,
    status: 202,
    partial: true,
    body: Type.Object({ reason: prose(500) }),
    reply: Purged,
    journal: ['audit.entity_created', 'audit.entity_updated', 'audit.entity_deleted', 'journal.erasure'],
    noDryRun: 'it is done in many changes, one after the other',
    throws: ['not_found', 'own_erasure', 'owner_remains', 'erasure_running', 'unavailable'],
  }),
}
