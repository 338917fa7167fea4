-- Skills made of what crews learned. People decide on them.
CREATE TABLE proposed_skills (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  -- skill-SLUG.md; never used again within the crew.
  file_name TEXT NOT NULL,
  slug TEXT NOT NULL,
  -- What the rule applies to, folded: it is proposed once, whatever people decided.
  pattern TEXT NOT NULL,
  -- SKILL.md; NULL once people have decided.
  content TEXT,
  scan_status TEXT NOT NULL,
  scan_reason TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (crew_id, file_name),
  UNIQUE (crew_id, pattern)
) STRICT;
CREATE INDEX proposed_skills_open ON proposed_skills (slug) WHERE content IS NOT NULL;
CREATE INDEX proposed_skills_workspace ON proposed_skills (workspace_id);
