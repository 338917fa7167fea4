import { Type } from 'typebox'
import { get, post } from './define.ts'
import { line, nullable, page, Slug, Time } from './fields.ts'
import { roles } from './roles.ts'

export const Workspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  logo_url: nullable(Type.String()),
  preferred_language: nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
  currentUserRole: Type.Optional(Type.Enum([...roles])),
  allow_privileged_credentials: Type.Boolean(),
  run_retention_days: nullable(Type.Integer()),
  credential_audit_retention_days: nullable(Type.Integer()),
  audit_log_retention_days: nullable(Type.Integer()),
  _count: Type.Optional(Type.Object({ crews: Type.Integer(), agents: Type.Integer(), members: Type.Integer() })),
  _count_crews: Type.Optional(Type.Integer({ description: 'The counts once more, for older clients; absent at 0' })),
  _count_agents: Type.Optional(Type.Integer()),
  _count_members: Type.Optional(Type.Integer()),
})

const Draft = Type.Object({
  name: line(100),
  slug: Slug,
  preferred_language: Type.Optional(Type.String({ maxLength: 40, description: 'an English language name or its code, as German or de' })),
})

export const workspaces = {
  list: get('/workspaces', {
    summary: 'List the workspaces you belong to, newest first',
    access: 'signed-in',
    query: Type.Object(page),
    reply: Type.Array(Workspace),
  }),
  create: post('/workspaces', {
    summary: 'Create a workspace and become its owner',
    access: 'signed-in',
    scope: 'workspace:admin',
    body: Draft,
    reply: Workspace,
    journal: ['audit.entity_created'],
    entity: 'workspace',
    throws: ['slug_taken'],
  }),
  show: get('/workspaces/:workspaceId', {
    summary: 'Show a workspace and your role in it',
    access: 'VIEWER',
    reply: Workspace,
    throws: ['not_found'],
  }),
}
