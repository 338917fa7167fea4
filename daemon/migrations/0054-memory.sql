-- Memory also belongs to workspaces, and is told by the size and the writer of each file. What stands there now is kept.
CREATE TABLE memory_texts (
  number INTEGER PRIMARY KEY,
  -- Id of the agent, the crew or the workspace.
  owner_id TEXT NOT NULL,
  -- As AGENT.md or daily/2026-11-26.md.
  name TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  tier TEXT NOT NULL CHECK (tier IN ('agent', 'crew', 'workspace')),
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  written_at TEXT NOT NULL,
  -- Id of a person or an agent.
  written_by TEXT NOT NULL
) STRICT;
INSERT INTO memory_texts (owner_id, name, workspace_id, tier, sha256, bytes, written_at, written_by)
  SELECT f.owner_id, f.name, f.workspace_id,
    iif(EXISTS (SELECT 1 FROM agents a WHERE a.id = f.owner_id), 'agent', 'crew'), f.sha256,
    length(CAST(b.content AS BLOB)), f.written_at,
    coalesce((SELECT v.written_by FROM memory_versions v WHERE v.owner_id = f.owner_id AND v.name = f.name
      ORDER BY v.seq DESC LIMIT 1), 'system')
  FROM memory_files f JOIN memory_blobs b ON b.workspace_id = f.workspace_id AND b.sha256 = f.sha256
  ORDER BY f.written_at;
DROP TABLE memory_files;
ALTER TABLE memory_texts RENAME TO memory_files;
CREATE UNIQUE INDEX memory_files_name ON memory_files (owner_id, name);
CREATE INDEX memory_files_content ON memory_files (workspace_id, sha256);

CREATE TABLE memory_history (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  -- By what it is administered: `pins` and `learned` are files of an agent or a crew.
  tier TEXT NOT NULL CHECK (tier IN ('agent', 'crew', 'workspace', 'pins', 'learned')),
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Where it stood then: slugs and crews change.
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  written_at TEXT NOT NULL,
  -- Id of a person or an agent.
  written_by TEXT NOT NULL,
  -- What it replaced; null where there was nothing.
  parent_sha TEXT
) STRICT;
INSERT INTO memory_history SELECT seq, id, workspace_id, tier, owner_id, name, path, sha256, bytes, written_at,
  written_by, parent_sha FROM memory_versions;
DROP TABLE memory_versions;
ALTER TABLE memory_history RENAME TO memory_versions;
CREATE INDEX memory_versions_file ON memory_versions (owner_id, name, seq);
CREATE INDEX memory_versions_workspace ON memory_versions (workspace_id, seq);
CREATE INDEX memory_versions_content ON memory_versions (workspace_id, sha256);
