CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  ts INTEGER NOT NULL,
  crew_id TEXT,
  agent_id TEXT,
  mission_id TEXT,
  trace_id TEXT,
  entry_type TEXT NOT NULL,
  severity TEXT NOT NULL,
  priority TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  doc TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  entry_hash TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_id ON journal (id);
CREATE INDEX journal_workspace ON journal (workspace_id);
