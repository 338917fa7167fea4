-- The workspace's own key for the provider of managed integrations, sealed.
CREATE TABLE managed_settings (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id),
  key_sealed TEXT NOT NULL,
  label TEXT,
  updated_at TEXT NOT NULL
) STRICT;

-- What agents were given of it: for each toolkit a server of the workspace with a credential.
CREATE TABLE managed_grants (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  -- NULL: the default connector of the workspace.
  agent_id TEXT REFERENCES agents (id),
  toolkit TEXT NOT NULL,
  mode TEXT NOT NULL,
  -- The account at the provider, which knows nothing of users here.
  account_user TEXT NOT NULL,
  -- Null: all.
  tools_json TEXT,
  endpoint TEXT NOT NULL,
  mcp_server_id TEXT NOT NULL,
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  created_at TEXT NOT NULL,
  UNIQUE (agent_id, toolkit)
) STRICT;
CREATE INDEX managed_grants_workspace ON managed_grants (workspace_id);
CREATE INDEX managed_grants_server ON managed_grants (mcp_server_id);
CREATE INDEX managed_grants_credential ON managed_grants (credential_id);
CREATE UNIQUE INDEX managed_grants_default ON managed_grants (workspace_id) WHERE agent_id IS NULL;
