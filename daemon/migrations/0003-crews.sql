-- Facts about this installation as a whole. The installation id marks what it owns on an engine shared with others.
CREATE TABLE instance_settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
INSERT INTO instance_settings (key, value) VALUES ('installation_id', lower(hex(randomblob(8))));

CREATE TABLE crews (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  description TEXT,
  icon TEXT,
  color TEXT,
  container_memory_mb INTEGER,
  container_cpus REAL,
  container_ttl_hours INTEGER,
  network_mode TEXT NOT NULL,
  allowed_domains_json TEXT NOT NULL,
  allow_private_endpoints INTEGER NOT NULL,
  runtime_image TEXT,
  created_by_user_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE UNIQUE INDEX crews_slug ON crews (workspace_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX crews_newest ON crews (workspace_id, created_at, id) WHERE deleted_at IS NULL;

-- Who owns a container: the row is there before the container and goes after it. What no row owns is removed.
CREATE TABLE crew_containers (
  crew_id TEXT PRIMARY KEY REFERENCES crews (id),
  desired TEXT NOT NULL CHECK (desired IN ('running', 'stopped', 'removed')),
  desired_at TEXT NOT NULL,
  -- The last time that someone needed it running: what the idle time counts from.
  used_at TEXT,
  observed TEXT NOT NULL CHECK (observed IN ('none', 'creating', 'running', 'stopped', 'error')),
  observed_at TEXT,
  container_id TEXT,
  contract TEXT,
  started_at TEXT,
  error TEXT
) STRICT;

CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT REFERENCES crews (id),
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  description TEXT,
  role_title TEXT,
  agent_role TEXT NOT NULL CHECK (agent_role IN ('AGENT', 'LEAD')),
  lead_mode TEXT,
  status TEXT NOT NULL CHECK (status IN ('IDLE', 'RUNNING', 'ERROR', 'PENDING_REVIEW')),
  cli_adapter TEXT NOT NULL,
  llm_provider TEXT,
  llm_model TEXT,
  system_prompt TEXT,
  avatar_seed TEXT,
  avatar_style TEXT,
  timeout_seconds INTEGER NOT NULL,
  tool_profile TEXT NOT NULL,
  cli_tools TEXT,
  mcp_config_json TEXT,
  -- Name, slug and role title in lower case, for the list's `q`.
  search TEXT NOT NULL,
  created_by_user_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE UNIQUE INDEX agents_slug ON agents (workspace_id, slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX agents_lead ON agents (crew_id) WHERE agent_role = 'LEAD' AND deleted_at IS NULL;
CREATE INDEX agents_newest ON agents (workspace_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX agents_crew ON agents (crew_id) WHERE deleted_at IS NULL;

-- An agent's place in a crew's container. A uid and a folder name are given once and never again in the same crew, so that
-- no agent ever inherits what another one left behind.
CREATE TABLE agent_places (
  crew_id TEXT NOT NULL REFERENCES crews (id),
  agent_id TEXT NOT NULL REFERENCES agents (id),
  uid INTEGER NOT NULL,
  folder TEXT NOT NULL,
  PRIMARY KEY (crew_id, agent_id)
) STRICT;
CREATE UNIQUE INDEX agent_places_uid ON agent_places (crew_id, uid);
CREATE UNIQUE INDEX agent_places_folder ON agent_places (crew_id, folder);

CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  provider TEXT NOT NULL,
  description TEXT,
  scope TEXT NOT NULL CHECK (scope IN ('WORKSPACE', 'CREW')),
  tags_json TEXT NOT NULL,
  account_label TEXT,
  account_email TEXT,
  -- Null once the credential is deleted.
  encrypted_value TEXT,
  status TEXT NOT NULL,
  last_error TEXT,
  last_used_at TEXT,
  token_expires_at TEXT,
  -- Until then the provider takes no more calls.
  cooldown_until TEXT,
  created_by TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE UNIQUE INDEX credentials_name ON credentials (workspace_id, name) WHERE deleted_at IS NULL;
CREATE INDEX credentials_newest ON credentials (workspace_id, created_at, id) WHERE deleted_at IS NULL;

-- The crews that a credential of scope CREW belongs to.
CREATE TABLE credential_crews (
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  PRIMARY KEY (credential_id, crew_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_crews_crew ON credential_crews (crew_id, credential_id);

CREATE TABLE agent_credentials (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  agent_id TEXT NOT NULL REFERENCES agents (id),
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  env_var_name TEXT NOT NULL,
  priority INTEGER NOT NULL,
  expires_at TEXT,
  lease_source TEXT,
  lease_issued_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX agent_credentials_pair ON agent_credentials (agent_id, credential_id);
CREATE INDEX agent_credentials_credential ON agent_credentials (credential_id);

CREATE TABLE credential_rotations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  -- The value before, until its grace is over.
  encrypted_old TEXT,
  grace_seconds INTEGER NOT NULL,
  rotated_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  rotated_by TEXT,
  cancelled_at TEXT
) STRICT;
CREATE INDEX credential_rotations_credential ON credential_rotations (credential_id);
CREATE INDEX credential_rotations_kept ON credential_rotations (expires_at) WHERE encrypted_old IS NOT NULL;

CREATE TABLE credential_audit (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  event TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  detail_json TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX credential_audit_credential ON credential_audit (credential_id);
