-- What credentials were used for, counted by day. An empty host: the value was handed to a program, whose use of it
-- nobody sees; `*`: more places than are told apart.
CREATE TABLE credential_uses (
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  host TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  day TEXT NOT NULL,
  uses INTEGER NOT NULL,
  last_used_at TEXT NOT NULL,
  PRIMARY KEY (credential_id, host, method, path, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_uses_days ON credential_uses (credential_id, day);

-- Credentials that may be used for their scopes alone.
CREATE TABLE scoped_credentials (
  credential_id TEXT PRIMARY KEY REFERENCES credentials (id),
  enforced_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE credential_scopes (
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  host TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (credential_id, host, method, path)
) STRICT, WITHOUT ROWID;

-- Uses outside of them, each with a decision of the same id. `actor` is the agent or routine that wants it.
CREATE TABLE scope_questions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  actor TEXT NOT NULL,
  agent_id TEXT,
  host TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- Null until it is decided: once, always or denied.
  outcome TEXT,
  decided_at TEXT,
  -- When what was allowed once was used.
  used_at TEXT
) STRICT;
CREATE UNIQUE INDEX scope_questions_open ON scope_questions (credential_id, actor, host, method, path)
  WHERE outcome IS NULL;
CREATE INDEX scope_questions_decided ON scope_questions (credential_id, actor, decided_at);
CREATE INDEX scope_questions_workspace ON scope_questions (workspace_id, created_at);
