-- Routines: what is done in steps, by agents and without them.
CREATE TABLE routines (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  icon TEXT,
  color TEXT,
  status TEXT NOT NULL CHECK (status IN ('proposed', 'active', 'disabled')),
  -- The newest version, and the one that runs; null before one is approved.
  version INTEGER NOT NULL,
  active_version INTEGER,
  author_user_id TEXT,
  author_agent_id TEXT,
  -- The crew whose agents and network its steps use.
  author_crew_id TEXT REFERENCES crews (id),
  authored_via TEXT NOT NULL CHECK (authored_via IN ('agent_tool_call', 'user_api', 'imported', 'seed')),
  run_count INTEGER NOT NULL DEFAULT 0,
  last_run_at TEXT,
  last_run_status TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE UNIQUE INDEX routines_slug ON routines (workspace_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX routines_crew ON routines (author_crew_id) WHERE deleted_at IS NULL;

-- Versions are never changed.
CREATE TABLE routine_versions (
  routine_id TEXT NOT NULL REFERENCES routines (id),
  version INTEGER NOT NULL,
  parent_version INTEGER,
  definition_json TEXT NOT NULL,
  definition_hash TEXT NOT NULL,
  risk_reasons_json TEXT NOT NULL,
  change_summary TEXT,
  -- `rejected`: people refused it.
  state TEXT NOT NULL CHECK (state IN ('proposed', 'approved', 'rejected')),
  author_type TEXT NOT NULL,
  author_id TEXT NOT NULL,
  decided_by TEXT,
  decided_at TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (routine_id, version)
) STRICT;

CREATE TABLE routine_runs (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  routine_id TEXT NOT NULL REFERENCES routines (id),
  routine_slug TEXT NOT NULL,
  routine_name TEXT NOT NULL,
  -- The crew that the routine had then.
  crew_id TEXT,
  version INTEGER NOT NULL,
  definition_hash TEXT NOT NULL,
  -- Of a test, whose definition belongs to no version.
  definition_json TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('run', 'test_run', 'dry_run')),
  status TEXT NOT NULL CHECK (
    status IN ('queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'interrupted', 'dry_run')
  ),
  inputs_json TEXT NOT NULL,
  event_json TEXT,
  output_json TEXT,
  error_message TEXT,
  failed_at_step TEXT,
  current_step_id TEXT,
  warnings_json TEXT NOT NULL DEFAULT '[]',
  tags_json TEXT NOT NULL DEFAULT '[]',
  metadata_json TEXT NOT NULL DEFAULT '{}',
  priority INTEGER NOT NULL DEFAULT 0,
  triggered_via TEXT NOT NULL,
  triggered_by_id TEXT,
  -- The person who asked for it.
  user_id TEXT,
  -- The step of the run that called this one.
  parent_run_id TEXT REFERENCES routine_runs (id),
  parent_step_id TEXT,
  chain_origin TEXT,
  chain_depth INTEGER NOT NULL,
  idempotency_key TEXT,
  replay_of TEXT,
  -- Runs of one routine that count together against its limit; null: no limit.
  concurrency_group TEXT,
  cost_usd REAL NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  started_at TEXT,
  ended_at TEXT,
  duration_ms INTEGER
) STRICT;
CREATE INDEX routine_runs_workspace ON routine_runs (workspace_id, created_at, id);
CREATE INDEX routine_runs_status ON routine_runs (workspace_id, status, created_at, id);
CREATE INDEX routine_runs_routine ON routine_runs (routine_id, created_at, id);
CREATE INDEX routine_runs_open ON routine_runs (routine_id, concurrency_group)
  WHERE status IN ('queued', 'running', 'waiting');
CREATE INDEX routine_runs_working ON routine_runs (id) WHERE status IN ('queued', 'running');
CREATE INDEX routine_runs_parent ON routine_runs (parent_run_id) WHERE parent_run_id IS NOT NULL;

-- What became of each step: stored before the next one begins.
CREATE TABLE routine_steps (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES routine_runs (id) ON DELETE CASCADE,
  -- Names the step within its run: its id, in a foreach `each[3].id`.
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'waiting', 'retrying', 'completed', 'failed', 'skipped', 'cancelled')),
  attempt INTEGER NOT NULL,
  output_json TEXT,
  error_message TEXT,
  -- What it waits for or works with: a waitpoint, an agent's run, a run that it called, an event.
  waitpoint_id TEXT,
  agent_run_id TEXT,
  child_run_id TEXT,
  event_type TEXT,
  -- What its type keeps, such as the items of a foreach.
  state_json TEXT,
  cost_usd REAL,
  -- When it is looked at again: the end of a pause, or of its time.
  wake_at TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  duration_ms INTEGER
) STRICT;
CREATE UNIQUE INDEX routine_steps_key ON routine_steps (run_id, key);
CREATE INDEX routine_steps_wake ON routine_steps (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX routine_steps_agent_run ON routine_steps (agent_run_id) WHERE agent_run_id IS NOT NULL;
CREATE INDEX routine_steps_waitpoint ON routine_steps (waitpoint_id) WHERE waitpoint_id IS NOT NULL;
CREATE INDEX routine_steps_deciding ON routine_steps (waitpoint_id) WHERE status = 'waiting' AND waitpoint_id IS NOT NULL;
CREATE INDEX routine_steps_event ON routine_steps (event_type) WHERE status = 'waiting' AND event_type IS NOT NULL;

-- Events that were sent to a run before it waited for them.
CREATE TABLE routine_signals (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES routine_runs (id) ON DELETE CASCADE,
  event_type TEXT NOT NULL,
  payload_json TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX routine_signals_run ON routine_signals (run_id, event_type, created_at);

-- Runs that begin later.
CREATE TABLE pending_runs (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  routine_id TEXT NOT NULL REFERENCES routines (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'fired', 'expired', 'cancelled')),
  -- The request as it will be made.
  request_json TEXT NOT NULL,
  priority INTEGER NOT NULL,
  debounce_key TEXT,
  match_count INTEGER NOT NULL,
  fire_at TEXT NOT NULL,
  debounce_max_at TEXT,
  expires_at TEXT,
  triggered_via TEXT NOT NULL,
  triggered_by_id TEXT,
  run_id TEXT,
  -- Why it did not begin when it was due.
  reason TEXT,
  created_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE UNIQUE INDEX pending_runs_debounce ON pending_runs (routine_id, debounce_key)
  WHERE status = 'pending' AND debounce_key IS NOT NULL;
CREATE INDEX pending_runs_due ON pending_runs (fire_at) WHERE status = 'pending';
CREATE INDEX pending_runs_routine ON pending_runs (routine_id) WHERE status = 'pending';
CREATE INDEX pending_runs_ended ON pending_runs (ended_at) WHERE status <> 'pending';
CREATE INDEX pending_runs_workspace ON pending_runs (workspace_id, created_at, id) WHERE status = 'pending';

CREATE TABLE run_idempotency (
  routine_id TEXT NOT NULL REFERENCES routines (id),
  key TEXT NOT NULL,
  run_id TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (routine_id, key)
) STRICT;
CREATE INDEX run_idempotency_expires ON run_idempotency (expires_at);
