import { statements } from '#kernel/store/db'

export interface RoutineRow {
  id: string
  workspace_id: string
  slug: string
  name: string
  description: string | null
  icon: string | null
  color: string | null
  status: 'proposed' | 'active' | 'disabled'
  version: number
  active_version: number | null
  author_user_id: string | null
  author_agent_id: string | null
  author_crew_id: string | null
  authored_via: 'agent_tool_call' | 'user_api' | 'imported' | 'seed'
  run_count: number
  last_run_at: string | null
  last_run_status: string | null
  created_at: string
  updated_at: string
}

export interface VersionRow {
  routine_id: string
  version: number
  parent_version: number | null
  definition_json: string
  definition_hash: string
  risk_reasons_json: string
  change_summary: string | null
  state: 'proposed' | 'approved' | 'rejected'
  author_type: string
  author_id: string
  decided_by: string | null
  decided_at: string | null
  created_at: string
}

/** A routine with what its list shows of its newest version. */
export type ListedRow = RoutineRow &
  Pick<VersionRow, 'definition_hash' | 'risk_reasons_json'> & {
    author_agent_name: string | null
    linked_issue_count: number
    linked_issues_json: string
  }

const names =
  'id, workspace_id, slug, name, description, icon, color, status, version, active_version, author_user_id, ' +
  'author_agent_id, author_crew_id, authored_via, run_count, last_run_at, last_run_status, created_at, updated_at'
/** The issues that a routine `r` is to do. */
const linked = `FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL WHERE m.routine_id = r.id`
const listed = `${names
  .split(', ')
  .map((name) => `r.${name}`)
  .join(', ')}, v.definition_hash, v.risk_reasons_json, a.name AS author_agent_name,
  (SELECT count(*) ${linked}) AS linked_issue_count,
  (SELECT json_group_array(identifier) FROM (SELECT m.identifier ${linked} ORDER BY m.created_at DESC, m.rowid DESC
    LIMIT 3)) AS linked_issues_json
  FROM routines r JOIN routine_versions v ON v.routine_id = r.id AND v.version = r.version
  LEFT JOIN agents a ON a.id = r.author_agent_id`
/** What a list shows of versions, whose definitions may be large. */
const ofVersion =
  'routine_id, version, parent_version, definition_hash, risk_reasons_json, change_summary, state, author_type, ' +
  'author_id, decided_by, decided_at, created_at'

const three = 'the three newest issues of a routine'

/** Statements that scan a table, with the reason. */
export const scans = { list: three, listed: three }

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string], ListedRow>(
    `SELECT ${listed} WHERE r.workspace_id = ? AND r.deleted_at IS NULL ORDER BY r.slug`,
  ),
  listed: db.prepare<[workspace: string, slug: string], ListedRow>(
    `SELECT ${listed} WHERE r.workspace_id = ? AND r.slug = ? AND r.deleted_at IS NULL`,
  ),
  bySlug: db.prepare<[workspace: string, slug: string], RoutineRow>(
    `SELECT ${names} FROM routines WHERE workspace_id = ? AND slug = ? AND deleted_at IS NULL`,
  ),
  byId: db.prepare<[workspace: string, id: string], RoutineRow>(
    `SELECT ${names} FROM routines WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL`,
  ),
  count: db
    .prepare<[workspace: string], number>('SELECT count(*) FROM routines WHERE workspace_id = ? AND deleted_at IS NULL')
    .pluck(),
  insert: db.prepare<[Omit<RoutineRow, 'run_count' | 'last_run_at' | 'last_run_status'>]>(
    `INSERT INTO routines (id, workspace_id, slug, name, description, icon, color, status, version, active_version,
      author_user_id, author_agent_id, author_crew_id, authored_via, created_at, updated_at)
     VALUES (@id, @workspace_id, @slug, @name, @description, @icon, @color, @status, @version, @active_version,
      @author_user_id, @author_agent_id, @author_crew_id, @authored_via, @created_at, @updated_at)`,
  ),
  update: db.prepare<[RoutineRow]>(
    `UPDATE routines SET name = @name, description = @description, icon = @icon, color = @color, status = @status,
      version = @version, active_version = @active_version, author_crew_id = @author_crew_id,
      updated_at = @updated_at WHERE id = @id`,
  ),
  remove: db.prepare<[now: string, id: string]>('UPDATE routines SET deleted_at = ? WHERE id = ?'),
  began: db.prepare<[now: string, id: string]>(
    'UPDATE routines SET run_count = run_count + 1, last_run_at = ? WHERE id = ?',
  ),
  ended: db.prepare<[status: string, id: string]>('UPDATE routines SET last_run_status = ? WHERE id = ?'),
  crew: db.prepare<[workspace: string, crew: string], { id: string }>(
    'SELECT id FROM crews WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
  ),

  versions: db.prepare<[routine: string], Omit<VersionRow, 'definition_json'>>(
    `SELECT ${ofVersion} FROM routine_versions WHERE routine_id = ? ORDER BY version DESC LIMIT 1000`,
  ),
  version: db.prepare<[routine: string, version: number], VersionRow>(
    `SELECT ${ofVersion}, definition_json FROM routine_versions WHERE routine_id = ? AND version = ?`,
  ),
  addVersion: db.prepare<[VersionRow]>(
    `INSERT INTO routine_versions (${ofVersion}, definition_json)
     VALUES (@routine_id, @version, @parent_version, @definition_hash, @risk_reasons_json, @change_summary, @state,
      @author_type, @author_id, @decided_by, @decided_at, @created_at, @definition_json)`,
  ),
  decide: db.prepare<[{ routine: string; version: number; state: string; by: string; now: string }]>(
    `UPDATE routine_versions SET state = @state, decided_by = @by, decided_at = @now
     WHERE routine_id = @routine AND version = @version AND state = 'proposed'`,
  ),
}))
