-- How work goes: the stages of issues (`workflow`), and step plans from which missions begin (`plan`).
CREATE TABLE workflow_templates (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  kind TEXT NOT NULL CHECK (kind IN ('workflow', 'plan')),
  name TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  -- The stages, or the plan with its steps, as JSON.
  template_json TEXT NOT NULL,
  icon TEXT,
  color TEXT,
  -- Comes with Muster; nobody changes it.
  is_builtin INTEGER NOT NULL CHECK (is_builtin IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX workflow_templates_name ON workflow_templates (workspace_id, kind, name);
CREATE INDEX workflow_templates_order ON workflow_templates (workspace_id, kind, is_builtin DESC, created_at);
