-- Ports in crews that a capability URL opens for a while. The token itself is known to nobody but those who were given it.
CREATE TABLE port_exposures (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  agent_id TEXT NOT NULL REFERENCES agents (id),
  chat_id TEXT,
  -- The agent's call: asked again after a restart it is the same exposure.
  call_id TEXT UNIQUE,
  container_id TEXT NOT NULL,
  container_port INTEGER NOT NULL CHECK (container_port BETWEEN 1 AND 65535),
  description TEXT,
  token_hash TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'REVOKED', 'EXPIRED')),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT,
  revoked_by TEXT,
  revoked_reason TEXT
) STRICT;
CREATE INDEX port_exposures_crew ON port_exposures (crew_id, created_at, id);
CREATE INDEX port_exposures_open_agent ON port_exposures (agent_id) WHERE status IN ('ACTIVE', 'PENDING');
CREATE INDEX port_exposures_live ON port_exposures (crew_id) WHERE status = 'ACTIVE';
CREATE INDEX port_exposures_open ON port_exposures (workspace_id) WHERE status IN ('ACTIVE', 'PENDING');
CREATE INDEX port_exposures_due ON port_exposures (expires_at) WHERE status = 'ACTIVE';
