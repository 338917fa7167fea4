-- Rules that people approved into the memory of crews, and whether they stay.
CREATE TABLE learned_rules (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  proposal_id TEXT NOT NULL,
  -- The file of the crew that it was appended to, as topics/learned-2026-11-26.md.
  file TEXT NOT NULL,
  -- Pattern, action, evidence and confidence.
  rule_json TEXT NOT NULL,
  learned_at TEXT NOT NULL,
  -- When people were last asked whether it stays.
  reviewed_at TEXT,
  removed_at TEXT
) STRICT;
CREATE INDEX learned_rules_workspace ON learned_rules (workspace_id, number);
CREATE INDEX learned_rules_crew ON learned_rules (crew_id, number);
CREATE INDEX learned_rules_age ON learned_rules (coalesce(reviewed_at, learned_at)) WHERE removed_at IS NULL;
INSERT INTO learned_rules (id, workspace_id, crew_id, proposal_id, file, rule_json, learned_at)
  SELECT 'lr_' || substr(p.id, 4) || '_' || r.key, p.workspace_id, p.crew_id, p.id,
    'topics/learned-' || substr(p.decided_at, 1, 10) || '.md', r.value, p.decided_at
  FROM memory_proposals p, json_each(p.evidence_json) r WHERE p.status = 'approved' ORDER BY p.seq, r.key;

-- The runs in whose prompt a rule was.
CREATE TABLE rule_uses (
  rule INTEGER NOT NULL REFERENCES learned_rules (number) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  used_at TEXT NOT NULL,
  -- 1: a person spoke to the agent while it worked.
  steered INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (rule, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_uses_run ON rule_uses (run_id);

-- `removal`: rules that never helped, which approving takes out of their file.
ALTER TABLE memory_proposals ADD COLUMN kind TEXT NOT NULL DEFAULT 'learned' CHECK (kind IN ('learned', 'removal'));
-- The file that rules are taken out of.
ALTER TABLE memory_proposals ADD COLUMN file TEXT;
