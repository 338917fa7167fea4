-- What begins by itself when the journal has a matching entry.
CREATE TABLE automations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  matcher_json TEXT NOT NULL,
  -- "" where a change left it out: then nothing begins.
  routine_slug TEXT NOT NULL,
  -- Null: no inputs.
  inputs_json TEXT,
  debounce_seconds INTEGER NOT NULL,
  max_per_hour INTEGER NOT NULL,
  created_by TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE INDEX automations_workspace ON automations (workspace_id, created_at) WHERE deleted_at IS NULL;
CREATE INDEX automations_enabled ON automations (workspace_id, event_type) WHERE deleted_at IS NULL AND enabled = 1;
