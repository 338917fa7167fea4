-- What crews are to remember, as rules that a summarizer proposed. People decide on them.
CREATE TABLE memory_proposals (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
  proposal_path TEXT NOT NULL,
  -- The rules, as a JSON list.
  evidence_json TEXT NOT NULL,
  rules_count INTEGER NOT NULL,
  entries_scanned INTEGER NOT NULL,
  model TEXT NOT NULL,
  created_at TEXT NOT NULL,
  decided_at TEXT,
  decided_by_user_id TEXT,
  reason TEXT
) STRICT;
CREATE INDEX memory_proposals_workspace ON memory_proposals (workspace_id, seq);
CREATE INDEX memory_proposals_status ON memory_proposals (workspace_id, status, seq);
CREATE INDEX memory_proposals_crew ON memory_proposals (crew_id, seq);

-- The text that approving appends, until the crew is gone.
CREATE TABLE memory_stagings (
  proposal_id TEXT PRIMARY KEY REFERENCES memory_proposals (id),
  content TEXT NOT NULL
) STRICT;
