import { Type } from 'typebox'
import { capabilities } from './capabilities.ts'
import { del, get, patch, post } from './define.ts'
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
  currentUserCapabilities: Type.Optional(
    Type.Array(Type.Enum([...capabilities]), { description: 'What you may do beyond your role' }),
  ),
  allow_privileged_credentials: Type.Boolean(),
  run_retention_days: nullable(Type.Integer()),
  credential_audit_retention_days: nullable(Type.Integer()),
  audit_log_retention_days: nullable(Type.Integer()),
  journal_retention_days: nullable(Type.Integer({ description: 'days that entries are kept in full; null: 30' })),
  require_two_factor: Type.Boolean({ description: 'Members without a second factor cannot enter' }),
  require_second_approver: Type.Boolean({
    description: 'Who created an agent does not decide alone about the secrets that it offers',
  }),
  journal_tool_arguments: Type.Boolean({ description: 'Entries of calls of MCP tools show the arguments' }),
  _count: Type.Optional(Type.Object({ crews: Type.Integer(), agents: Type.Integer(), members: Type.Integer() })),
  _count_crews: Type.Optional(Type.Integer({ description: 'The counts once more, for older clients; absent at 0' })),
  _count_agents: Type.Optional(Type.Integer()),
  _count_members: Type.Optional(Type.Integer()),
})

/** The language that a workspace prefers. */
export const Language = Type.String({
  maxLength: 40,
  description: 'an English language name or its code, as German or de',
})

const Draft = Type.Object({
  name: line(100),
  slug: Slug,
  preferred_language: Type.Optional(Language),
})

const days = (minimum: number, description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum, maximum: 36_500, description })))

const Change = Type.Object({
  name: Type.Optional(line(100)),
  slug: Type.Optional(Slug),
  preferred_language: Type.Optional(nullable(Language)),
  require_two_factor: Type.Optional(Type.Boolean({ description: 'only an OWNER with a second factor may change it' })),
  require_second_approver: Type.Optional(Type.Boolean({ description: 'only an OWNER may change it' })),
  journal_tool_arguments: Type.Optional(
    Type.Boolean({ description: 'whether entries of calls of MCP tools show the arguments, without secrets' }),
  ),
  allow_privileged_credentials: Type.Optional(Type.Boolean()),
  run_retention_days: days(1, 'null: runs are kept'),
  credential_audit_retention_days: days(0, 'null: 90 days; 0: kept for ever'),
  audit_log_retention_days: days(0, 'null and 0: kept for ever'),
  journal_retention_days: days(0, 'null: 30 days; 0: entries are kept in full for ever'),
})

/**
 * Members of the full contract that this version does not have: null, false and 0 pass, for they ask for what is so.
 */
export const laterWorkspaceMembers = [
  'allow_privileged_credentials',
  'run_retention_days',
  'audit_log_retention_days',
] as const

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
  update: patch('/workspaces/:workspaceId', {
    summary: 'Change a workspace',
    access: 'ADMIN',
    stepUp: true,
    scope: 'workspace:admin',
    body: Change,
    reply: Workspace,
    journal: ['audit.entity_updated'],
    entity: 'workspace',
    throws: ['no_fields', 'not_found', 'second_factor_missing', 'slug_taken'],
  }),
  remove: del('/workspaces/:workspaceId', {
    summary: 'Delete a workspace with its crews, agents and memberships',
    access: 'OWNER',
    stepUp: true,
    scope: 'workspace:admin',
    status: 200,
    body: Type.Object({ confirm_slug: Type.String({ description: 'the slug of the workspace, to be sure' }) }),
    reply: Type.Object({ success: Type.Boolean() }),
    journal: ['audit.entity_deleted'],
    entity: 'workspace',
    throws: ['home_workspace', 'not_found', 'only_workspace'],
  }),
}
