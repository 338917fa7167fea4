import type { AgentStatus, CliAdapter, LlmProvider } from '#contract/agents'
import { statements } from '#kernel/store/db'

export interface AgentRow {
  id: string
  workspace_id: string
  crew_id: string | null
  name: string
  slug: string
  description: string | null
  role_title: string | null
  agent_role: 'AGENT' | 'LEAD'
  lead_mode: 'active' | 'passive' | null
  status: AgentStatus
  cli_adapter: CliAdapter
  llm_provider: LlmProvider | null
  llm_model: string | null
  system_prompt: string | null
  avatar_seed: string | null
  avatar_style: string | null
  timeout_seconds: number
  tool_profile: 'MINIMAL' | 'CODING' | 'FULL'
  cli_tools: string | null
  mcp_config_json: string | null
  memory_enabled: 0 | 1
  suggested_prompts: string | null
  ask_forms: string | null
  schedule_cron: string | null
  schedule_prompt: string | null
  schedule_enabled: 0 | 1
  schedule_timezone: string
  schedule_last_run: string | null
  schedule_next_run: string | null
  webhook_require_timestamp: 0 | 1
  webhook_secret_set: 0 | 1
  created_by_user_id: string | null
  ephemeral: 0 | 1
  expires_at: string | null
  expired_at: string | null
  parent_lead_id: string | null
  hire_reason: string | null
  created_at: string
  updated_at: string
  crew_name: string | null
  crew_slug: string | null
  crew_color: string | null
  crew_avatar_style: string | null
  /** Of the picture that is kept; null when there is none. */
  avatar_version: string | null
  /** The person who made it; null when nobody did, or when that person is no member any more. */
  owner_email: string | null
  owner_name: string | null
}

/** What is counted and found of an agent's own. The cost grows with the counts. */
export interface AgentCounts {
  credentials: number
  skills: number
  chats: number
  /** Runs that wait for a person. */
  waiting_runs: number
  /** Milliseconds at which its newest run ended or, if it goes on, began; null when it has none. */
  last_active: number | null
}

/** The members of an agent that people set, as stored. */
export type AgentMembers = Pick<
  AgentRow,
  | 'name'
  | 'slug'
  | 'crew_id'
  | 'description'
  | 'role_title'
  | 'agent_role'
  | 'lead_mode'
  | 'cli_adapter'
  | 'llm_provider'
  | 'llm_model'
  | 'system_prompt'
  | 'avatar_seed'
  | 'avatar_style'
  | 'timeout_seconds'
  | 'tool_profile'
  | 'cli_tools'
  | 'mcp_config_json'
  | 'suggested_prompts'
  | 'ask_forms'
> & { memory_enabled: boolean }

/** Where an agent is, and its own tool servers. */
export type AgentBrief = Pick<AgentRow, 'id' | 'workspace_id' | 'crew_id' | 'mcp_config_json'>

interface Stored extends Omit<AgentMembers, 'memory_enabled'> {
  memory_enabled: 0 | 1
  id: string
  workspace_id: string
  search: string
  updated_at: string
}

interface Filter {
  workspace: string
  crew: string | null
  q: string
  /** 1: only hired agents. */
  hired: 0 | 1
}

const columns = `a.id, a.workspace_id, a.crew_id, a.name, a.slug, a.description, a.role_title, a.agent_role,
    a.lead_mode, a.status, a.cli_adapter, a.llm_provider, a.llm_model, a.system_prompt, a.avatar_seed, a.avatar_style,
    a.timeout_seconds, a.tool_profile, a.cli_tools, a.mcp_config_json, a.memory_enabled, a.suggested_prompts,
    a.ask_forms, a.ephemeral, a.expires_at, a.expired_at, a.parent_lead_id, a.hire_reason,
    a.created_by_user_id, a.created_at, a.updated_at, c.name AS crew_name, c.slug AS crew_slug,
    c.color AS crew_color, c.avatar_style AS crew_avatar_style, v.version AS avatar_version,
    u.email AS owner_email, u.full_name AS owner_name, s.cron AS schedule_cron, s.prompt AS schedule_prompt,
    coalesce(s.enabled, 0) AS schedule_enabled, coalesce(s.timezone, 'UTC') AS schedule_timezone,
    s.last_run AS schedule_last_run, s.next_run AS schedule_next_run,
    coalesce(w.require_timestamp, 0) AS webhook_require_timestamp, w.secret_enc IS NOT NULL AS webhook_secret_set`
const counts = `(SELECT count(*) FROM agent_credentials g WHERE g.agent_id = a.id) AS credentials,
  (SELECT count(*) FROM agent_skills g WHERE g.agent_id = a.id) AS skills,
    (SELECT count(*) FROM chats h WHERE h.agent_id = a.id) AS chats,
    (SELECT count(*) FROM runs r WHERE r.agent_id = a.id AND r.phase <> 'ended' AND r.phase IN ('parking', 'parked'))
      AS waiting_runs,
    (SELECT coalesce(r.ended_at, r.created_at) FROM runs r WHERE r.agent_id = a.id
      ORDER BY r.created_at DESC LIMIT 1) AS last_active`
const tables = `agents a LEFT JOIN crews c ON c.id = a.crew_id
  LEFT JOIN agent_avatars v ON v.agent_id = a.id
  LEFT JOIN workspace_members o ON o.workspace_id = a.workspace_id AND o.user_id = a.created_by_user_id
  LEFT JOIN users u ON u.id = o.user_id
  LEFT JOIN agent_schedules s ON s.agent_id = a.id
  LEFT JOIN agent_webhooks w ON w.agent_id = a.id`
const chosen = `a.workspace_id = @workspace AND a.deleted_at IS NULL AND (@crew IS NULL OR a.crew_id = @crew)
  AND (@q = '' OR instr(a.search, @q) > 0) AND (@hired = 0 OR a.ephemeral = 1)`

export const queries = statements((db) => ({
  list: db.prepare<[Filter & { limit: number; offset: number }], AgentRow & AgentCounts>(
    `SELECT ${columns}, ${counts} FROM ${tables} WHERE ${chosen}
      ORDER BY (a.expired_at IS NOT NULL), coalesce(a.expired_at, a.created_at) DESC, a.id DESC
      LIMIT @limit OFFSET @offset`,
  ),
  count: db.prepare<[Filter], { n: number }>(`SELECT count(*) AS n FROM agents a WHERE ${chosen}`),
  find: db.prepare<[workspace: string, id: string], AgentRow>(
    `SELECT ${columns} FROM ${tables} WHERE a.workspace_id = ? AND a.id = ? AND a.deleted_at IS NULL`,
  ),
  byId: db.prepare<[id: string], AgentRow>(`SELECT ${columns} FROM ${tables} WHERE a.id = ? AND a.deleted_at IS NULL`),
  brief: db.prepare<[id: string], AgentBrief>(
    'SELECT id, workspace_id, crew_id, mcp_config_json FROM agents WHERE id = ? AND deleted_at IS NULL',
  ),
  counts: db.prepare<[id: string], AgentCounts>(`SELECT ${counts} FROM agents a WHERE a.id = ?`),
  bySlug: db.prepare<[workspace: string, slug: string], { id: string }>(
    'SELECT id FROM agents WHERE workspace_id = ? AND slug = ? AND deleted_at IS NULL',
  ),
  queued: db.prepare<[workspace: string], { n: number }>(
    "SELECT count(*) AS n FROM assignments WHERE workspace_id = ? AND status = 'QUEUED'",
  ),
  statuses: db.prepare<[workspace: string], { status: AgentStatus; n: number }>(
    'SELECT status, count(*) AS n FROM agents WHERE workspace_id = ? AND deleted_at IS NULL GROUP BY status',
  ),
  all: db.prepare<[workspace: string], Pick<AgentRow, 'id' | 'name' | 'slug' | 'status'>>(
    `SELECT id, name, slug, status FROM agents WHERE workspace_id = ? AND deleted_at IS NULL
     ORDER BY (expired_at IS NOT NULL), coalesce(expired_at, created_at) DESC, id DESC`,
  ),
  ofCrew: db.prepare<[crew: string], { id: string; slug: string }>(
    'SELECT id, slug FROM agents WHERE crew_id = ? AND deleted_at IS NULL',
  ),
  free: db.prepare<[workspace: string], { id: string; slug: string }>(
    'SELECT id, slug FROM agents WHERE workspace_id = ? AND crew_id IS NULL AND deleted_at IS NULL',
  ),
  mates: db.prepare<[crew: string], Pick<AgentRow, 'id' | 'name' | 'slug' | 'role_title' | 'agent_role'>>(
    `SELECT id, name, slug, role_title, agent_role FROM agents
     WHERE crew_id = ? AND deleted_at IS NULL AND expired_at IS NULL
     ORDER BY created_at, id`,
  ),
  liveCrew: db.prepare<[workspace: string, crew: string], { id: string }>(
    'SELECT id FROM crews WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
  ),
  insert: db.prepare<[Stored & { status: AgentStatus; created_by_user_id: string | null }], { id: string }>(
    `INSERT INTO agents (id, workspace_id, crew_id, name, slug, description, role_title, agent_role, lead_mode,
      status, cli_adapter, llm_provider, llm_model,
       system_prompt, avatar_seed, avatar_style, timeout_seconds, tool_profile, cli_tools, mcp_config_json,
       memory_enabled, suggested_prompts, ask_forms, search, created_by_user_id, created_at, updated_at)
     VALUES (@id, @workspace_id, @crew_id, @name, @slug, @description, @role_title, @agent_role, @lead_mode, @status,
     @cli_adapter, @llm_provider, @llm_model,
       @system_prompt, @avatar_seed, @avatar_style, @timeout_seconds, @tool_profile, @cli_tools, @mcp_config_json,
       @memory_enabled, @suggested_prompts, @ask_forms, @search, @created_by_user_id, @updated_at, @updated_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  update: db.prepare<[Stored], { id: string }>(
    `UPDATE OR IGNORE agents SET crew_id = @crew_id, name = @name, slug = @slug, description = @description,
      role_title = @role_title,
       agent_role = @agent_role, lead_mode = @lead_mode, cli_adapter = @cli_adapter, llm_provider = @llm_provider,
       llm_model = @llm_model, system_prompt = @system_prompt, avatar_seed = @avatar_seed,
       avatar_style = @avatar_style, timeout_seconds = @timeout_seconds, tool_profile = @tool_profile,
       cli_tools = @cli_tools, mcp_config_json = @mcp_config_json, memory_enabled = @memory_enabled,
       suggested_prompts = @suggested_prompts, ask_forms = @ask_forms, search = @search, updated_at = @updated_at
     WHERE workspace_id = @workspace_id AND id = @id AND deleted_at IS NULL RETURNING id`,
  ),
  demote: db.prepare<[at: string, crew: string, except: string], { id: string; slug: string }>(
    `UPDATE agents SET agent_role = 'AGENT', lead_mode = NULL, updated_at = ?
     WHERE crew_id = ? AND agent_role = 'LEAD' AND deleted_at IS NULL AND id <> ? RETURNING id, slug`,
  ),
  setStatus: db.prepare<[status: AgentStatus, id: string]>('UPDATE agents SET status = ? WHERE id = ?'),
  remove: db.prepare<[at: string, at: string, id: string]>(
    'UPDATE agents SET deleted_at = ?, updated_at = ? WHERE id = ?',
  ),
  dropAvatar: db.prepare<[agent: string]>('DELETE FROM agent_avatars WHERE agent_id = ?'),
}))
