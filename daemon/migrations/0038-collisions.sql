-- Where two runs of different agents wrote the same thing while both were open.
CREATE TABLE collisions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  kind TEXT NOT NULL,
  -- Empty for what stands for several.
  path TEXT NOT NULL,
  repository TEXT,
  branch TEXT,
  certain INTEGER NOT NULL,
  count INTEGER NOT NULL,
  first_run_id TEXT NOT NULL REFERENCES runs (id),
  first_agent_id TEXT NOT NULL REFERENCES agents (id),
  -- The chat in which its words are read, be it that of the run that delegated it.
  first_chat_id TEXT,
  first_at TEXT NOT NULL,
  second_run_id TEXT NOT NULL REFERENCES runs (id),
  second_agent_id TEXT NOT NULL REFERENCES agents (id),
  second_chat_id TEXT,
  second_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
-- The same is told once of each pair of runs, whichever of them wrote first.
CREATE UNIQUE INDEX collisions_pair
  ON collisions (min(first_run_id, second_run_id), max(first_run_id, second_run_id), path);
CREATE INDEX collisions_workspace ON collisions (workspace_id);
