-- Skills that agents are given in every run.
CREATE TABLE agent_skills (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents (id),
  skill_id TEXT NOT NULL REFERENCES skills (id) ON DELETE CASCADE,
  config TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (agent_id, skill_id)
) STRICT;
CREATE INDEX agent_skills_skill ON agent_skills (skill_id);

-- In how many runs of a workspace a skill was used.
CREATE TABLE skill_uses (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  skill_id TEXT NOT NULL REFERENCES skills (id) ON DELETE CASCADE,
  invocations INTEGER NOT NULL,
  last_used_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, skill_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX skill_uses_skill ON skill_uses (skill_id);
