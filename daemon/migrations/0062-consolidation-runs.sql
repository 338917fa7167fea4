-- Runs of consolidation; of each workspace one at a time.
CREATE TABLE consolidation_runs (
  worker_id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  -- `manual` or `scheduled`.
  reason TEXT NOT NULL,
  started_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE UNIQUE INDEX consolidation_runs_open ON consolidation_runs (workspace_id) WHERE finished_at IS NULL;
CREATE INDEX consolidation_runs_newest ON consolidation_runs (workspace_id, started_at);

-- Journal entries with the priority `pin` that were dealt with: each is pinned once, also where people remove it later.
CREATE TABLE memory_pins (
  entry_id TEXT PRIMARY KEY,
  crew_id TEXT NOT NULL REFERENCES crews (id),
  -- 1: it stands in pins.md; 0: it may not be remembered.
  pinned INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_pins_crew ON memory_pins (crew_id);
