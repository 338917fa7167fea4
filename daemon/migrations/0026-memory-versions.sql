-- Texts that belong to agents and crews, each as it stands now.
CREATE TABLE memory_files (
  -- Id of the agent or crew.
  owner_id TEXT NOT NULL,
  -- As PERSONA.md.
  name TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  sha256 TEXT NOT NULL,
  written_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, name)
) STRICT, WITHOUT ROWID;

-- What was written, each time.
CREATE TABLE memory_versions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  tier TEXT NOT NULL CHECK (tier IN ('agent', 'crew')),
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Where it stood then: slugs and crews change.
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  written_at TEXT NOT NULL,
  -- Id of a person or an agent.
  written_by TEXT NOT NULL,
  -- What it replaced; null where there was nothing.
  parent_sha TEXT
) STRICT;
CREATE INDEX memory_versions_file ON memory_versions (owner_id, name, seq);

-- Their contents, each once in a workspace.
CREATE TABLE memory_blobs (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  sha256 TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workspace_id, sha256)
) STRICT, WITHOUT ROWID;

-- Personas that were proposed. Whether they were taken is told by the decision of the same id.
CREATE TABLE persona_suggestions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  agent_id TEXT NOT NULL,
  content TEXT NOT NULL,
  rationale TEXT,
  suggested_by TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- Agents for which somebody said whether they may change themselves.
CREATE TABLE agent_learning (
  agent_id TEXT PRIMARY KEY,
  enabled INTEGER NOT NULL,
  set_by_user_id TEXT NOT NULL,
  set_at TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What agents keep about people they work with.
CREATE TABLE peer_cards (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  agent_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX peer_cards_of_agent ON peer_cards (agent_id, user_id);
CREATE INDEX peer_cards_of_user ON peer_cards (user_id);
