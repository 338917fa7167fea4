-- When routines begin by themselves.
CREATE TABLE routine_schedules (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  cron_expr TEXT NOT NULL,
  timezone TEXT NOT NULL,
  routine_id TEXT NOT NULL REFERENCES routines (id),
  version INTEGER,
  inputs_json TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  catchup_policy TEXT NOT NULL CHECK (catchup_policy IN ('skip', 'once', 'all')),
  max_consecutive_failures INTEGER NOT NULL,
  wake_slug TEXT,
  wake_inputs_json TEXT,
  wake_fail_closed INTEGER NOT NULL,
  -- Null while it is disabled.
  next_run_at TEXT,
  last_run_at TEXT,
  last_run_id TEXT,
  last_status TEXT,
  last_missed_count INTEGER NOT NULL DEFAULT 0,
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  disabled_reason TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX routine_schedules_due ON routine_schedules (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX routine_schedules_workspace ON routine_schedules (workspace_id, next_run_at);
CREATE INDEX routine_schedules_routine ON routine_schedules (routine_id);
