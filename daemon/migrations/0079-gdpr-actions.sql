-- Exports and erasures of what a workspace keeps about a person. One without an end was under way when a daemon ended.
CREATE TABLE gdpr_actions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  data_subject_id TEXT NOT NULL,
  actor_user_id TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('export', 'delete')),
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'partial', 'interrupted')),
  scope_json TEXT,
  error TEXT,
  reason TEXT,
  initiated_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE UNIQUE INDEX gdpr_actions_open ON gdpr_actions (workspace_id, data_subject_id)
  WHERE action = 'delete' AND completed_at IS NULL;
CREATE INDEX gdpr_actions_subject ON gdpr_actions (workspace_id, data_subject_id);
