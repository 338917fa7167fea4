-- When an agent begins by itself. Without `next_run` it does not.
CREATE TABLE agent_schedules (
  agent_id TEXT PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
  cron TEXT,
  prompt TEXT,
  enabled INTEGER NOT NULL,
  timezone TEXT NOT NULL,
  last_run TEXT,
  next_run TEXT,
  -- Runs that failed one after the other.
  failures INTEGER NOT NULL DEFAULT 0,
  -- Why the newest occurrence did not begin; null when it did.
  skipped TEXT
) STRICT;
CREATE INDEX agent_schedules_due ON agent_schedules (next_run) WHERE next_run IS NOT NULL;

-- How other programs may call an agent. The secret is sealed.
CREATE TABLE agent_webhooks (
  agent_id TEXT PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
  secret_enc TEXT,
  require_timestamp INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Calls that were accepted and wait for the agent's run before them. Their id becomes that of their run.
CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  content TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_agent ON webhook_deliveries (agent_id);

-- Calls of the last 24 hours: one that comes again runs nothing.
CREATE TABLE webhook_idempotency (
  key TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_idempotency_over ON webhook_idempotency (expires_at);
