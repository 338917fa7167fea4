import { statements } from '#kernel/store/db'

/** A row: its id, texts and numbers. */
type Row<T extends string, N extends string = never> = { [name in T]: string | null } & {
  [name in N]: number | null
} & { id: string }
type WorkspaceRow = Row<'slug' | 'name' | 'preferred_language'>
type LabelsRow = Row<'name' | 'color' | 'label_group'>
type ProjectsRow = Row<
  'name' | 'slug' | 'description' | 'icon' | 'color' | 'status' | 'priority' | 'health' | 'start_date' | 'target_date'
>
type MilestonesRow = Row<'name' | 'project' | 'description' | 'target_date' | 'status', 'position'>
type SkillsRow = Row<'slug' | 'content'>
type CrewTemplatesRow = Row<'slug' | 'name' | 'description' | 'icon' | 'color' | 'category' | 'agents_json'>
type WorkflowsRow = Row<'name' | 'description' | 'icon' | 'color' | 'template_json'>
type CrewsRow = Row<
  | 'slug'
  | 'name'
  | 'description'
  | 'icon'
  | 'color'
  | 'runtime_image'
  | 'network_mode'
  | 'allowed_domains_json'
  | 'avatar_style'
  | 'issue_prefix'
  | 'escalation_config_json'
  | 'autonomy_level'
  | 'behavior_mode'
  | 'reason',
  | 'container_memory_mb'
  | 'container_cpus'
  | 'container_ttl_hours'
  | 'allow_private_endpoints'
  | 'max_ephemeral_agents'
  | 'max_concurrent_agents'
>
type CredentialsRow = Row<'name' | 'type' | 'provider' | 'account_label' | 'description' | 'scope' | 'crews_json'>
type AgentsRow = Row<
  | 'slug'
  | 'name'
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
  | 'tool_profile'
  | 'cli_tools'
  | 'suggested_prompts'
  | 'ask_forms'
  | 'crew'
  | 'schedule_cron'
  | 'schedule_prompt'
  | 'schedule_timezone',
  'timeout_seconds' | 'memory_enabled' | 'schedule_enabled' | 'webhook_require_timestamp'
>
type RoutinesRow = Row<'slug' | 'name' | 'description' | 'crew' | 'definition_json'>
type TriageRulesRow = Row<
  'name' | 'pattern' | 'match_type' | 'crew' | 'assignee' | 'project' | 'priority',
  'position' | 'enabled'
>

type ServersRow = Row<
  | 'name'
  | 'crew'
  | 'replaces'
  | 'display_name'
  | 'transport'
  | 'endpoint'
  | 'command'
  | 'args_json'
  | 'env_sealed'
  | 'config_json'
  | 'icon',
  'enabled'
>
type BindingsRow = Row<
  | 'server_id'
  | 'agent_id'
  | 'agent'
  | 'credential'
  | 'cred_type'
  | 'cred_header'
  | 'env_var_name'
  | 'config_override_json',
  'enabled'
>
type ChannelsRow = Row<
  'slug' | 'type' | 'url' | 'address' | 'provider' | 'events_json' | 'categories_json' | 'min_priority' | 'agents_json',
  'enabled'
>
type IssuesRow = Row<
  | 'slug'
  | 'crew_id'
  | 'status'
  | 'title'
  | 'description'
  | 'crew'
  | 'priority'
  | 'assignee'
  | 'project'
  | 'milestone'
  | 'parent'
  | 'due_date'
  | 'routine'
  | 'routine_inputs_json'
  | 'labels_json',
  'estimate'
>

type File = { skill_id: string; path: string; executable: number; content: Buffer }
type Held = { id: string; agent_id: string; name: string }

const agentColumns = `a.id, a.slug, a.name, a.description, a.role_title, a.agent_role, a.lead_mode, a.cli_adapter,
  a.llm_provider, a.llm_model, a.system_prompt, a.avatar_seed, a.avatar_style, a.timeout_seconds, a.tool_profile,
  a.cli_tools, a.memory_enabled, a.suggested_prompts, a.ask_forms, c.slug AS crew, s.cron AS schedule_cron,
  s.prompt AS schedule_prompt, coalesce(s.enabled, 0) AS schedule_enabled, coalesce(s.timezone, 'UTC')
  AS schedule_timezone, coalesce(w.require_timestamp, 0) AS webhook_require_timestamp`

const bindingColumns = `b.id, b.mcp_server_id AS server_id, b.agent_id, a.slug AS agent, c.name AS credential,
  b.cred_type, b.cred_header, b.env_var_name, b.config_override_json, b.enabled`
const binding = `agent_mcp_bindings b JOIN agents a ON a.id = b.agent_id LEFT JOIN credentials c
  ON c.id = b.credential_id`
const named = "a.deleted_at IS NULL AND a.ephemeral = 0 AND a.status <> 'PENDING_REVIEW'"

/** What is stored of a workspace, as files say it: each list in the order of what its things are called by. */
export const queries = statements((db) => ({
  workspace: db.prepare<[id: string], WorkspaceRow>(
    'SELECT id, slug, name, preferred_language FROM workspaces WHERE id = ?',
  ),
  labels: db.prepare<[workspace: string], LabelsRow>(
    'SELECT id, name, color, label_group FROM labels WHERE workspace_id = ? ORDER BY name',
  ),
  projects: db.prepare<[workspace: string], ProjectsRow>(
    `SELECT id, name, slug, description, icon, color, status, priority, health, start_date, target_date
     FROM projects WHERE workspace_id = ? ORDER BY name`,
  ),
  milestones: db.prepare<[workspace: string], MilestonesRow>(
    `SELECT m.id, m.name, p.name AS project, m.description, m.target_date, m.status, m.position
     FROM projects p JOIN milestones m ON m.project_id = p.id WHERE p.workspace_id = ? ORDER BY p.name, m.name`,
  ),
  skills: db.prepare<[workspace: string], SkillsRow>(
    'SELECT id, slug, content FROM skills WHERE workspace_id = ? ORDER BY slug',
  ),
  skillFiles: db.prepare<[workspace: string], File>(
    `SELECT f.skill_id, f.path, f.executable, f.content FROM skills s JOIN skill_files f ON f.skill_id = s.id
     WHERE s.workspace_id = ? ORDER BY f.skill_id, f.path`,
  ),
  crewTemplates: db.prepare<[workspace: string], CrewTemplatesRow>(
    `SELECT id, slug, name, description, icon, color, category, agents_json FROM crew_templates WHERE workspace_id = ?
     ORDER BY slug`,
  ),
  workflows: db.prepare<[workspace: string], WorkflowsRow>(
    `SELECT id, name, description, icon, color, template_json FROM workflow_templates
     WHERE workspace_id = ? AND kind = 'workflow' AND is_builtin = 0 ORDER BY name`,
  ),
  crews: db.prepare<[workspace: string], CrewsRow>(
    `SELECT id, slug, name, description, icon, color, runtime_image, container_memory_mb, container_cpus,
       container_ttl_hours, network_mode, allowed_domains_json, allow_private_endpoints, avatar_style, issue_prefix,
       max_ephemeral_agents, max_concurrent_agents, escalation_config_json, autonomy_level, behavior_mode,
       policy_reason AS reason
     FROM crews WHERE workspace_id = ? AND deleted_at IS NULL ORDER BY slug`,
  ),
  credentials: db.prepare<[workspace: string], CredentialsRow>(
    `SELECT c.id, c.name, c.type, c.provider, c.account_label, c.description, c.scope,
       (SELECT json_group_array(w.slug) FROM credential_crews g JOIN crews w ON w.id = g.crew_id
         WHERE g.credential_id = c.id) AS crews_json
     FROM credentials c WHERE c.workspace_id = ? AND c.deleted_at IS NULL
       AND c.status NOT IN ('PENDING_APPROVAL', 'REJECTED') ORDER BY c.name`,
  ),
  agents: db.prepare<[workspace: string], AgentsRow>(
    `SELECT ${agentColumns} FROM agents a LEFT JOIN crews c ON c.id = a.crew_id
       LEFT JOIN agent_schedules s ON s.agent_id = a.id LEFT JOIN agent_webhooks w ON w.agent_id = a.id
     WHERE a.workspace_id = ? AND a.deleted_at IS NULL AND a.ephemeral = 0 AND a.status <> 'PENDING_REVIEW'
     ORDER BY a.slug`,
  ),
  agentSkills: db.prepare<[workspace: string], Held>(
    `SELECT s.id, g.agent_id, s.slug AS name FROM agents a JOIN agent_skills g ON g.agent_id = a.id
       JOIN skills s ON s.id = g.skill_id WHERE a.workspace_id = ? AND a.deleted_at IS NULL ORDER BY s.slug`,
  ),
  agentCredentials: db.prepare<[workspace: string], Held>(
    `SELECT g.id, g.agent_id, c.name FROM agents a JOIN agent_credentials g ON g.agent_id = a.id
       JOIN credentials c ON c.id = g.credential_id
     WHERE a.workspace_id = ? AND a.deleted_at IS NULL AND c.name = g.env_var_name AND g.expires_at IS NULL
     ORDER BY c.name`,
  ),
  skillCalled: db.prepare<[slug: string], { id: string }>('SELECT id FROM skills WHERE slug = ?'),
  routines: db.prepare<[workspace: string], RoutinesRow>(
    `SELECT r.id, r.slug, r.name, r.description, c.slug AS crew, v.definition_json
     FROM routines r JOIN routine_versions v ON v.routine_id = r.id AND v.version = r.version
       LEFT JOIN crews c ON c.id = r.author_crew_id
     WHERE r.workspace_id = ? AND r.deleted_at IS NULL ORDER BY r.slug`,
  ),
  servers: db.prepare<[workspace: string], ServersRow>(
    `SELECT s.id, s.name, c.slug AS crew, w.name AS replaces, s.display_name, s.transport, s.endpoint, s.command,
       s.args_json, s.env_sealed, s.config_json, s.icon, s.enabled
     FROM mcp_servers s LEFT JOIN crews c ON c.id = s.crew_id
       LEFT JOIN mcp_servers w ON w.id = s.workspace_mcp_server_id
     WHERE s.workspace_id = ? AND (s.crew_id IS NULL OR c.deleted_at IS NULL) ORDER BY c.slug, s.name`,
  ),
  bindings: db.prepare<[workspace: string], BindingsRow>(
    `SELECT ${bindingColumns} FROM mcp_servers s JOIN ${binding}
     WHERE s.workspace_id = ? AND b.mcp_server_id = s.id AND ${named} ORDER BY a.slug`,
  ),
  bindingsOf: db.prepare<[server: string], BindingsRow>(
    `SELECT ${bindingColumns} FROM ${binding} WHERE b.mcp_server_id = ? AND ${named}`,
  ),
  sealedVariables: db.prepare<[server: string], { id: string; env_sealed: string | null }>(
    'SELECT id, env_sealed FROM mcp_servers WHERE id = ?',
  ),
  channels: db.prepare<[workspace: string], ChannelsRow>(
    `SELECT n.id, n.slug, n.type, n.url, n.address, n.provider, n.events_json, n.categories_json, n.min_priority,
       n.enabled, (SELECT json_group_array(a.slug) FROM notification_channel_agents g JOIN agents a ON a.id = g.agent_id
         WHERE g.channel_id = n.id AND ${named}) AS agents_json
     FROM notification_channels n
     WHERE n.workspace_id = ? AND n.deleted_at IS NULL AND n.owner_user_id IS NULL ORDER BY n.slug`,
  ),
  grantsOf: db.prepare<[channel: string], { id: string; slug: string }>(
    `SELECT a.id, a.slug FROM notification_channel_agents g JOIN agents a ON a.id = g.agent_id
     WHERE g.channel_id = ? AND ${named}`,
  ),
  issues: db.prepare<[workspace: string], IssuesRow>(
    `SELECT i.id, f.slug, i.crew_id, i.status, i.title, i.description, w.slug AS crew, i.priority, a.slug AS assignee,
       p.name AS project, m.name AS milestone, u.slug AS parent, i.due_date, i.estimate, r.slug AS routine,
       i.routine_inputs_json,
       (SELECT json_group_array(l.name) FROM mission_labels g JOIN labels l ON l.id = g.label_id
         WHERE g.mission_id = i.id) AS labels_json
     FROM manifest_issues f JOIN missions i ON i.id = f.issue_id JOIN crews w ON w.id = i.crew_id
       LEFT JOIN agents a ON i.assignee_type = 'agent' AND a.id = i.assignee_id
       LEFT JOIN projects p ON p.id = i.project_id LEFT JOIN milestones m ON m.id = i.milestone_id
       LEFT JOIN manifest_issues u ON u.issue_id = i.parent_issue_id LEFT JOIN routines r ON r.id = i.routine_id
     WHERE f.workspace_id = ? AND w.deleted_at IS NULL ORDER BY f.slug`,
  ),
  keepIssue: db.prepare<[workspace: string, slug: string, issue: string]>(
    `INSERT INTO manifest_issues (workspace_id, slug, issue_id) VALUES (?, ?, ?)
     ON CONFLICT (workspace_id, slug) DO UPDATE SET issue_id = excluded.issue_id`,
  ),
  skillText: db.prepare<[id: string], { content: string }>('SELECT content FROM skills WHERE id = ?'),
  triageRules: db.prepare<[workspace: string], TriageRulesRow>(
    `SELECT t.id, t.name, t.pattern, t.match_type, c.slug AS crew, a.slug AS assignee, p.name AS project, t.priority,
       t.position, t.enabled
     FROM triage_rules t LEFT JOIN crews c ON c.id = t.crew_id LEFT JOIN agents a ON a.id = t.assignee_id
       LEFT JOIN projects p ON p.id = t.project_id WHERE t.workspace_id = ? ORDER BY t.position, t.created_at`,
  ),
}))
