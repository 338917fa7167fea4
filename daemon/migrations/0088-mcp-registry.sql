-- MCP servers that the public registry lists. All workspaces share them.
CREATE TABLE mcp_registry_servers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  description TEXT NOT NULL,
  icon TEXT,
  transport TEXT NOT NULL,
  homepage_url TEXT,
  source_url TEXT,
  package_name TEXT,
  package_version TEXT,
  package_registry TEXT,
  command TEXT,
  endpoint TEXT,
  auth_type TEXT NOT NULL,
  env_vars_json TEXT,
  category TEXT,
  is_verified INTEGER NOT NULL,
  trust_tier TEXT NOT NULL,
  is_featured INTEGER NOT NULL,
  synced_at TEXT NOT NULL,
  -- What a search looks through, in lower case.
  words TEXT NOT NULL
) STRICT;
CREATE INDEX mcp_registry_servers_order ON mcp_registry_servers (is_featured DESC, name);

-- The newest sync; one row, once there was one.
CREATE TABLE mcp_registry_syncs (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  started_at TEXT NOT NULL,
  -- NULL while it is under way.
  ended_at TEXT
) STRICT;
