import { statements } from '#kernel/store/db'

export interface CrewRow {
  id: string
  workspace_id: string
  name: string
  slug: string
  description: string | null
  icon: string | null
  color: string | null
  container_memory_mb: number | null
  container_cpus: number | null
  container_ttl_hours: number | null
  network_mode: 'restricted' | 'free'
  allowed_domains_json: string
  allow_private_endpoints: number
  runtime_image: string | null
  avatar_style: string | null
  issue_prefix: string | null
  max_ephemeral_agents: number
  max_concurrent_agents: number | null
  escalation_config_json: string | null
  created_at: string
  updated_at: string
  agents: number
  members: number
}

export interface StoredCrew extends Omit<CrewRow, 'agents' | 'members' | 'created_at'> {
  created_by_user_id: string | null
}

export interface StoredPolicy {
  workspace: string
  crew: string
  level: string
  mode: string
  reason: string | null
  user: string
  now: string
}

const columns = `id, workspace_id, name, slug, description, icon, color, container_memory_mb, container_cpus,
  container_ttl_hours, network_mode, allowed_domains_json, allow_private_endpoints, runtime_image, avatar_style,
  issue_prefix, max_ephemeral_agents, max_concurrent_agents, escalation_config_json, created_at, updated_at,
  (SELECT count(*) FROM agents a WHERE a.crew_id = crews.id AND a.deleted_at IS NULL) AS agents,
  (SELECT count(*) FROM crew_members m WHERE m.crew_id = crews.id) AS members`

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string, limit: number, offset: number], CrewRow>(
    `SELECT ${columns} FROM crews WHERE workspace_id = ? AND deleted_at IS NULL
      ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[workspace: string, id: string], CrewRow>(
    `SELECT ${columns} FROM crews WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL`,
  ),
  called: db.prepare<{ workspace: string; name: string }, CrewRow>(
    `SELECT ${columns} FROM crews WHERE workspace_id = @workspace AND deleted_at IS NULL
      AND (id = @name OR slug = @name) LIMIT 1`,
  ),
  slugTaken: db.prepare<[workspace: string, slug: string], { id: string }>(
    'SELECT id FROM crews WHERE workspace_id = ? AND slug = ? AND deleted_at IS NULL',
  ),
  ofWorkspace: db.prepare<[workspace: string], { id: string; slug: string }>(
    'SELECT id, slug FROM crews WHERE workspace_id = ? AND deleted_at IS NULL',
  ),
  confidence: db.prepare<[id: string], string | null>('SELECT escalation_config_json FROM crews WHERE id = ?').pluck(),
  insert: db.prepare<[StoredCrew], { id: string }>(
    `INSERT INTO crews (id, workspace_id, name, slug, description, icon, color, container_memory_mb, container_cpus,
      container_ttl_hours, network_mode,
       allowed_domains_json, allow_private_endpoints, runtime_image, avatar_style, issue_prefix,
       max_ephemeral_agents, max_concurrent_agents, escalation_config_json, created_by_user_id, created_at, updated_at)
     VALUES (@id, @workspace_id, @name, @slug, @description, @icon, @color, @container_memory_mb, @container_cpus,
     @container_ttl_hours, @network_mode,
       @allowed_domains_json, @allow_private_endpoints, @runtime_image, @avatar_style, @issue_prefix,
       @max_ephemeral_agents, @max_concurrent_agents, @escalation_config_json, @created_by_user_id, @updated_at,
       @updated_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  update: db.prepare<[Omit<StoredCrew, 'created_by_user_id'>], { id: string }>(
    `UPDATE OR IGNORE crews SET name = @name, slug = @slug, description = @description, icon = @icon, color = @color,
       container_memory_mb = @container_memory_mb, container_cpus = @container_cpus,
       container_ttl_hours = @container_ttl_hours, network_mode = @network_mode,
       allowed_domains_json = @allowed_domains_json, allow_private_endpoints = @allow_private_endpoints,
       runtime_image = @runtime_image, avatar_style = @avatar_style, issue_prefix = @issue_prefix,
       max_ephemeral_agents = @max_ephemeral_agents, max_concurrent_agents = @max_concurrent_agents,
       escalation_config_json = @escalation_config_json, updated_at = @updated_at
     WHERE workspace_id = @workspace_id AND id = @id AND deleted_at IS NULL RETURNING id`,
  ),
  setPolicy: db.prepare<StoredPolicy>(
    `UPDATE crews SET autonomy_level = @level, behavior_mode = @mode, policy_reason = @reason, policy_set_by = @user,
       policy_set_at = @now
     WHERE workspace_id = @workspace AND id = @crew AND deleted_at IS NULL`,
  ),
  remove: db.prepare<[at: string, at: string, id: string]>(
    'UPDATE crews SET deleted_at = ?, updated_at = ? WHERE id = ?',
  ),
}))
