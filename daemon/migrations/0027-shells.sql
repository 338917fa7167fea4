-- Terminals that people have open in crews, so that a daemon knows what one before it left behind.
CREATE TABLE shells (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  crew_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  -- Milliseconds since 1970.
  opened_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX shells_agent ON shells (agent_id);
CREATE INDEX shells_crew ON shells (crew_id);
