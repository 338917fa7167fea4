-- The judge of credentials: what the operators of this server set, in one row.
CREATE TABLE keeper_settings (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  overrides_json TEXT NOT NULL,
  -- What the address named before its host, sealed.
  endpoint_secret TEXT,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Who judges what beside credentials. A credential is one of the workspace from which it was chosen.
CREATE TABLE keeper_aux_settings (
  slot TEXT PRIMARY KEY,
  provider TEXT,
  model TEXT,
  timeout_ms INTEGER,
  credential_id TEXT,
  workspace_id TEXT,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- What a workspace asks of the judge. Whether two people decide stands with the workspace.
CREATE TABLE keeper_governance_settings (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id),
  enabled INTEGER NOT NULL,
  security_contact_user_id TEXT,
  deny_notify_min_risk INTEGER NOT NULL,
  watch_spec TEXT NOT NULL,
  watch_presets_json TEXT NOT NULL,
  auto_lease_seconds INTEGER NOT NULL,
  model_provider TEXT NOT NULL,
  model_id TEXT NOT NULL,
  model_credential_id TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
