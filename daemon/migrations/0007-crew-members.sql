-- Who belongs to a crew, and as what when that is not the role in the workspace.
CREATE TABLE crew_members (
  id TEXT PRIMARY KEY,
  crew_id TEXT NOT NULL REFERENCES crews (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  role TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX crew_members_pair ON crew_members (crew_id, user_id);
CREATE INDEX crew_members_user ON crew_members (user_id);

-- What a member may do beyond the role; null: what comes with the role.
ALTER TABLE workspace_members ADD COLUMN capabilities_json TEXT;

-- Uses of administrative tokens are kept for a while, oldest out first.
CREATE INDEX cli_token_uses_at ON cli_token_uses (used_at);

-- Limits that were changed while the server ran; the configuration has the others.
CREATE TABLE rate_limit_overrides (
  key TEXT PRIMARY KEY,
  value INTEGER NOT NULL,
  updated_by TEXT,
  updated_at TEXT NOT NULL
) STRICT;
