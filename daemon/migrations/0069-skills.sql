-- Skills, which all workspaces of the instance share.
CREATE TABLE skills (
  id TEXT PRIMARY KEY,
  -- Whoever imported it may change it; NULL: it comes with Muster.
  workspace_id TEXT REFERENCES workspaces (id),
  slug TEXT NOT NULL UNIQUE,
  -- SKILL.md, byte by byte.
  content TEXT NOT NULL,
  -- What the catalogue shows of it.
  name TEXT NOT NULL,
  display_name TEXT NOT NULL,
  description TEXT,
  version TEXT NOT NULL,
  author TEXT,
  category TEXT NOT NULL,
  source TEXT NOT NULL,
  icon TEXT,
  tags TEXT,
  vendor TEXT,
  homepage TEXT,
  license TEXT,
  spdx_license TEXT,
  runtime TEXT NOT NULL,
  maturity TEXT NOT NULL,
  -- The place of its maturity in the list.
  place INTEGER NOT NULL,
  credential_requirements TEXT,
  scan_status TEXT NOT NULL,
  scan_reason TEXT,
  description_quality TEXT,
  -- Name, description and tags in lower case, for the search.
  words TEXT NOT NULL,
  -- Of SKILL.md and all files.
  bytes INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX skills_order ON skills (place, name, id);
CREATE INDEX skills_workspace ON skills (workspace_id);

CREATE TABLE skill_files (
  skill_id TEXT NOT NULL REFERENCES skills (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  executable INTEGER NOT NULL CHECK (executable IN (0, 1)),
  sha256 TEXT NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (skill_id, path)
) STRICT, WITHOUT ROWID;
