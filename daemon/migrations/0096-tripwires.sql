-- Decoys in crews: a credential or a file that nobody needs, so that whoever touches it is where it should not be. The
-- value is sealed, since agents are given it with each run; it is dropped when the tripwire is removed.
CREATE TABLE tripwires (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('credential', 'file')),
  -- The variable, or the path below the agent's home.
  name TEXT NOT NULL,
  shape TEXT NOT NULL,
  encrypted_value TEXT,
  -- Of a file: what it holds, so that it is found again once the tripwire is removed.
  content_hash TEXT,
  state TEXT NOT NULL CHECK (state IN ('armed', 'tripped')),
  created_by_user_id TEXT,
  created_at TEXT NOT NULL,
  removed_at TEXT
) STRICT;
CREATE UNIQUE INDEX tripwires_name ON tripwires (crew_id, name) WHERE removed_at IS NULL;
CREATE INDEX tripwires_crew ON tripwires (crew_id, seq);
CREATE INDEX tripwires_workspace ON tripwires (workspace_id);

-- Who touched one: a run trips a tripwire once. The agent is held until a person settles it.
CREATE TABLE tripwire_trips (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tripwire_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  agent_id TEXT,
  run_id TEXT,
  place TEXT NOT NULL CHECK (place IN ('output', 'call', 'request')),
  detail TEXT NOT NULL,
  evidence_json TEXT NOT NULL,
  created_at TEXT NOT NULL,
  settled_at TEXT,
  settled_by_user_id TEXT,
  false_alarm INTEGER CHECK (false_alarm IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX tripwire_trips_run ON tripwire_trips (tripwire_id, coalesce(run_id, '')) WHERE settled_at IS NULL;
CREATE INDEX tripwire_trips_tripwire ON tripwire_trips (tripwire_id, seq);
CREATE INDEX tripwire_trips_agent ON tripwire_trips (agent_id) WHERE settled_at IS NULL;
CREATE INDEX tripwire_trips_workspace ON tripwire_trips (workspace_id);
