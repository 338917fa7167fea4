-- Which crews may hand work to each other: one row for two crews, whichever way round.
CREATE TABLE crew_connections (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  from_crew_id TEXT NOT NULL REFERENCES crews (id),
  to_crew_id TEXT NOT NULL REFERENCES crews (id),
  -- unidirectional: only `from` hands work to `to`.
  direction TEXT NOT NULL CHECK (direction IN ('bidirectional', 'unidirectional')),
  -- PENDING_REVIEW: an agent asked for it, and people have not approved it yet.
  status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'PENDING_REVIEW')),
  created_at TEXT NOT NULL,
  CHECK (from_crew_id <> to_crew_id)
) STRICT;
CREATE UNIQUE INDEX crew_connections_pair
  ON crew_connections (min(from_crew_id, to_crew_id), max(from_crew_id, to_crew_id));
CREATE INDEX crew_connections_workspace ON crew_connections (workspace_id);
CREATE INDEX crew_connections_from ON crew_connections (from_crew_id);
CREATE INDEX crew_connections_to ON crew_connections (to_crew_id);
