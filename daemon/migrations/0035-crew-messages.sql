-- What agents of a crew tell another one that theirs is connected with.
CREATE TABLE crew_messages (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  from_crew_id TEXT NOT NULL REFERENCES crews (id),
  to_crew_id TEXT NOT NULL REFERENCES crews (id),
  from_agent_id TEXT NOT NULL REFERENCES agents (id),
  -- The run in which it was sent, where that is known.
  run_id TEXT,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX crew_messages_workspace ON crew_messages (workspace_id);
CREATE INDEX crew_messages_from ON crew_messages (from_crew_id);
CREATE INDEX crew_messages_to ON crew_messages (to_crew_id);
