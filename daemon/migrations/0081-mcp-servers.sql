-- MCP servers, of a workspace or of one of its crews.
CREATE TABLE mcp_servers (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  -- NULL: it is the workspace's.
  crew_id TEXT REFERENCES crews (id),
  -- The workspace's server that a crew's was made from.
  workspace_mcp_server_id TEXT REFERENCES mcp_servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  display_name TEXT NOT NULL,
  transport TEXT NOT NULL,
  endpoint TEXT,
  command TEXT,
  args_json TEXT,
  -- The names of its variables, and the variables with their values, sealed.
  env_names_json TEXT,
  env_sealed TEXT,
  config_json TEXT,
  icon TEXT,
  enabled INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX mcp_servers_of_workspace ON mcp_servers (workspace_id, name) WHERE crew_id IS NULL;
CREATE UNIQUE INDEX mcp_servers_of_crew ON mcp_servers (crew_id, name) WHERE crew_id IS NOT NULL;
CREATE INDEX mcp_servers_workspace ON mcp_servers (workspace_id, crew_id);
CREATE INDEX mcp_servers_made_from ON mcp_servers (workspace_mcp_server_id);

-- How agents use them.
CREATE TABLE agent_mcp_bindings (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents (id),
  mcp_server_id TEXT NOT NULL REFERENCES mcp_servers (id) ON DELETE CASCADE,
  credential_id TEXT REFERENCES credentials (id),
  cred_type TEXT,
  cred_header TEXT,
  env_var_name TEXT,
  enabled INTEGER NOT NULL,
  config_override_json TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (agent_id, mcp_server_id)
) STRICT;
CREATE INDEX agent_mcp_bindings_server ON agent_mcp_bindings (mcp_server_id);
CREATE INDEX agent_mcp_bindings_credential ON agent_mcp_bindings (credential_id);
