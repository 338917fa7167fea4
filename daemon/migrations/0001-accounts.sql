CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  full_name TEXT,
  avatar_url TEXT,
  password_hash TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  logo_url TEXT,
  preferred_language TEXT,
  allow_privileged_credentials INTEGER NOT NULL DEFAULT 0,
  run_retention_days INTEGER,
  credential_audit_retention_days INTEGER,
  audit_log_retention_days INTEGER,
  -- 1 for the workspace that came with the first user: its owners own the server.
  home INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE UNIQUE INDEX workspaces_slug ON workspaces (slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX workspaces_home ON workspaces (home) WHERE home = 1;

CREATE TABLE workspace_members (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  role TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX workspace_members_pair ON workspace_members (workspace_id, user_id);
CREATE INDEX workspace_members_user ON workspace_members (user_id);

CREATE TABLE cli_tokens (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  tier TEXT NOT NULL,
  scopes_json TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX cli_tokens_user ON cli_tokens (user_id, created_at);
CREATE INDEX cli_tokens_expires ON cli_tokens (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- Each use of a token of the administrative tier.
CREATE TABLE cli_token_uses (
  id TEXT PRIMARY KEY,
  token_id TEXT NOT NULL REFERENCES cli_tokens (id),
  used_at TEXT NOT NULL,
  remote_addr TEXT,
  user_agent TEXT,
  path TEXT
) STRICT;
CREATE INDEX cli_token_uses_token ON cli_token_uses (token_id, used_at);

-- A code waits to be traded for a token. Only its HMAC is stored. `token_id` is the token that asked for it.
CREATE TABLE cli_pairings (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  token_id TEXT REFERENCES cli_tokens (id),
  code_hash TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  adapter_hint TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  consumed_at TEXT
) STRICT;
CREATE INDEX cli_pairings_expires ON cli_pairings (expires_at);
