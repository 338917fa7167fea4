import type { Static } from 'typebox'
import type { Role } from '#contract/roles'
import type { Workspace } from '#contract/workspaces'
import { statements } from '#kernel/store/db'

export type Row = Omit<
  Static<typeof Workspace>,
  | 'allow_privileged_credentials'
  | 'require_two_factor'
  | 'require_second_approver'
  | 'journal_tool_arguments'
  | `currentUser${string}`
  | `_count${string}`
> & {
  allow_privileged_credentials: number
  require_two_factor: number
  require_second_approver: number
  journal_tool_arguments: number
}

export interface Counts {
  crews: number
  agents: number
  members: number
}

const names = [
  'id',
  'name',
  'slug',
  'logo_url',
  'preferred_language',
  'allow_privileged_credentials',
  'run_retention_days',
  'credential_audit_retention_days',
  'audit_log_retention_days',
  'journal_retention_days',
  'require_two_factor',
  'require_second_approver',
  'journal_tool_arguments',
  'created_at',
  'updated_at',
]
const columns = names.join(', ')

interface NewWorkspace {
  id: string
  name: string
  slug: string
  preferred_language: string | null
  home: 0 | 1
  now: string
}

export const queries = statements((db) => ({
  listOf: db.prepare<[user: string, limit: number, offset: number], Row & { role: Role }>(
    `SELECT ${names.map((name) => `w.${name}`).join(', ')}, m.role
      FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND w.deleted_at IS NULL ORDER BY w.created_at DESC, w.rowid DESC LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[id: string], Row>(`SELECT ${columns} FROM workspaces WHERE id = ? AND deleted_at IS NULL`),
  /** The oldest workspace that this person owns and nobody has put anything into. */
  untouched: db.prepare<[user: string], Row>(
    `SELECT ${names.map((name) => `w.${name}`).join(', ')}
      FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND m.role = 'OWNER' AND w.deleted_at IS NULL AND w.require_two_factor = 0
       AND NOT EXISTS (SELECT 1 FROM crews WHERE workspace_id = w.id AND deleted_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM agents WHERE workspace_id = w.id AND deleted_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM credentials WHERE workspace_id = w.id AND deleted_at IS NULL)
     ORDER BY w.created_at, w.rowid LIMIT 1`,
  ),
  counts: db.prepare<{ id: string }, Counts>(
    `SELECT (SELECT count(*) FROM crews WHERE workspace_id = @id AND deleted_at IS NULL) AS crews,
       (SELECT count(*) FROM agents WHERE workspace_id = @id AND deleted_at IS NULL) AS agents,
       (SELECT count(*) FROM workspace_members WHERE workspace_id = @id) AS members`,
  ),
  insert: db.prepare<NewWorkspace, Row>(
    `INSERT INTO workspaces (id, name, slug, preferred_language, home, created_at, updated_at)
     VALUES (@id, @name, @slug, @preferred_language, @home, @now, @now)
     ON CONFLICT DO NOTHING RETURNING ${columns}`,
  ),
  /** Nothing when the slug is taken. */
  update: db.prepare<Row, Row>(
    `UPDATE OR IGNORE workspaces SET name = @name, slug = @slug, preferred_language = @preferred_language,
      require_two_factor = @require_two_factor, require_second_approver = @require_second_approver,
       journal_tool_arguments = @journal_tool_arguments,
       credential_audit_retention_days = @credential_audit_retention_days,
       audit_log_retention_days = @audit_log_retention_days, journal_retention_days = @journal_retention_days,
       updated_at = @updated_at
     WHERE id = @id AND deleted_at IS NULL RETURNING ${columns}`,
  ),
  secondApprover: db.prepare<[id: string], { required: number }>(
    'SELECT require_second_approver AS required FROM workspaces WHERE id = ?',
  ),
  toolArguments: db.prepare<[id: string], number>('SELECT journal_tool_arguments FROM workspaces WHERE id = ?').pluck(),
  setSecondApprover: db.prepare<{ id: string; required: number; now: string }>(
    'UPDATE workspaces SET require_second_approver = @required, updated_at = @now WHERE id = @id',
  ),
  remove: db.prepare<[at: string, at: string, id: string]>(
    'UPDATE workspaces SET deleted_at = ?, updated_at = ? WHERE id = ?',
  ),
  factorSince: db.prepare<[user: string], { two_factor_at: string | null }>(
    'SELECT two_factor_at FROM users WHERE id = ?',
  ),
}))
