-- Webhooks of routines: who has the token and the secret begins a run.
CREATE TABLE routine_webhooks (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  token_end TEXT NOT NULL,
  secret_enc TEXT NOT NULL,
  routine_id TEXT NOT NULL REFERENCES routines (id),
  version INTEGER,
  inputs_template_json TEXT,
  enabled INTEGER NOT NULL,
  rate_limit_per_min INTEGER NOT NULL,
  fire_count INTEGER NOT NULL DEFAULT 0,
  last_fired_at TEXT,
  last_run_id TEXT,
  last_status TEXT,
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX routine_webhooks_workspace ON routine_webhooks (workspace_id, name);
CREATE INDEX routine_webhooks_routine ON routine_webhooks (routine_id);

-- Calls of the last day, each by its signature and by the id that the caller gave it.
CREATE TABLE routine_webhook_calls (
  webhook_id TEXT NOT NULL,
  key TEXT NOT NULL,
  run_id TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (webhook_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX routine_webhook_calls_expired ON routine_webhook_calls (expires_at);
