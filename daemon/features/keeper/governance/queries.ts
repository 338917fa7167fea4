import type { Role } from '#contract/roles'
import { statements } from '#kernel/store/db'

export interface GovernanceRow {
  workspace_id: string
  enabled: number
  security_contact_user_id: string | null
  deny_notify_min_risk: number
  watch_spec: string
  watch_presets_json: string
  auto_lease_seconds: number
  monitor_tool_calls: number
  model_provider: string
  model_id: string
  model_credential_id: string
  updated_by: string
  updated_at: string
}

export const queries = statements((db) => ({
  find: db.prepare<[workspace: string], GovernanceRow>(
    `SELECT workspace_id, enabled, security_contact_user_id, deny_notify_min_risk, watch_spec, watch_presets_json,
       auto_lease_seconds, monitor_tool_calls, model_provider, model_id, model_credential_id, updated_by, updated_at
     FROM keeper_governance_settings WHERE workspace_id = ?`,
  ),
  store: db.prepare<GovernanceRow>(
    `INSERT INTO keeper_governance_settings (workspace_id, enabled, security_contact_user_id, deny_notify_min_risk,
       watch_spec, watch_presets_json, auto_lease_seconds, monitor_tool_calls, model_provider, model_id,
       model_credential_id, updated_by, updated_at)
     VALUES (@workspace_id, @enabled, @security_contact_user_id, @deny_notify_min_risk, @watch_spec,
       @watch_presets_json, @auto_lease_seconds, @monitor_tool_calls, @model_provider, @model_id,
       @model_credential_id, @updated_by, @updated_at)
     ON CONFLICT (workspace_id) DO UPDATE SET enabled = excluded.enabled,
       security_contact_user_id = excluded.security_contact_user_id,
       deny_notify_min_risk = excluded.deny_notify_min_risk, watch_spec = excluded.watch_spec,
       watch_presets_json = excluded.watch_presets_json, auto_lease_seconds = excluded.auto_lease_seconds,
       monitor_tool_calls = excluded.monitor_tool_calls,
       model_provider = excluded.model_provider, model_id = excluded.model_id,
       model_credential_id = excluded.model_credential_id, updated_by = excluded.updated_by,
       updated_at = excluded.updated_at`,
  ),
  deciders: db.prepare<[workspace: string], { user_id: string; role: Role }>(
    `SELECT user_id, role FROM workspace_members WHERE workspace_id = ? AND role IN ('OWNER', 'ADMIN', 'MANAGER')`,
  ),
  credential: db.prepare<[workspace: string, id: string], { found: 1 }>(
    `SELECT 1 AS found FROM credentials WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL
       AND type IN ('API_KEY', 'ENDPOINT_URL') AND status = 'ACTIVE'`,
  ),
}))
