-- Definitions stand last, so that lists of versions do not read past them.
CREATE TABLE routine_versions_kept (
  routine_id TEXT NOT NULL REFERENCES routines (id),
  version INTEGER NOT NULL,
  parent_version INTEGER,
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
  definition_json TEXT NOT NULL,
  PRIMARY KEY (routine_id, version)
) STRICT;
INSERT INTO routine_versions_kept
  SELECT routine_id, version, parent_version, definition_hash, risk_reasons_json, change_summary, state, author_type,
    author_id, decided_by, decided_at, created_at, definition_json FROM routine_versions;
DROP TABLE routine_versions;
ALTER TABLE routine_versions_kept RENAME TO routine_versions;
