-- Marks for issues, known to a whole workspace.
CREATE TABLE labels (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL COLLATE NOCASE,
  color TEXT NOT NULL,
  label_group TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX labels_name ON labels (workspace_id, name);

-- What issues of several crews belong to.
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL COLLATE NOCASE,
  slug TEXT NOT NULL,
  description TEXT,
  icon TEXT,
  color TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('backlog', 'planned', 'in_progress', 'paused', 'completed', 'cancelled')),
  priority TEXT NOT NULL CHECK (priority IN ('none', 'low', 'medium', 'high', 'urgent')),
  health TEXT NOT NULL CHECK (health IN ('on_track', 'at_risk', 'off_track')),
  -- Who leads it: a member of the workspace or an agent.
  lead_type TEXT CHECK (lead_type IN ('user', 'agent')),
  lead_id TEXT,
  start_date TEXT,
  target_date TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX projects_name ON projects (workspace_id, name);
CREATE UNIQUE INDEX projects_slug ON projects (workspace_id, slug);
CREATE INDEX projects_lead ON projects (lead_id) WHERE lead_id IS NOT NULL;

-- Steps on the way of a project.
CREATE TABLE milestones (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  target_date TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'completed', 'cancelled')),
  position INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX milestones_name ON milestones (project_id, name);
CREATE INDEX milestones_project ON milestones (project_id, position);

-- What crews work on: issues, and missions, which are plans of several agents.
CREATE TABLE missions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  mission_type TEXT NOT NULL CHECK (mission_type IN ('orchestration', 'issue')),
  -- An issue's number among those of its prefix, and both together; 0 and nothing for a mission.
  number INTEGER NOT NULL,
  identifier TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  priority TEXT NOT NULL CHECK (priority IN ('none', 'low', 'medium', 'high', 'urgent')),
  -- Who works on it: a member of the workspace or an agent.
  assignee_type TEXT CHECK (assignee_type IN ('user', 'agent')),
  assignee_id TEXT,
  -- `human`: a person works on it, and no agent is started.
  work_mode TEXT NOT NULL CHECK (work_mode IN ('agent', 'human')),
  due_date TEXT,
  sort_order REAL NOT NULL,
  project_id TEXT REFERENCES projects (id),
  milestone_id TEXT REFERENCES milestones (id),
  parent_issue_id TEXT REFERENCES missions (id),
  estimate INTEGER,
  authored_via TEXT,
  created_by_type TEXT NOT NULL,
  created_by_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE UNIQUE INDEX missions_identifier ON missions (workspace_id, identifier) WHERE mission_type = 'issue';
CREATE INDEX missions_workspace ON missions (workspace_id, mission_type, created_at, id);
CREATE INDEX missions_crew ON missions (crew_id, mission_type, created_at, id);
CREATE INDEX missions_project ON missions (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX missions_milestone ON missions (milestone_id) WHERE milestone_id IS NOT NULL;
CREATE INDEX missions_parent ON missions (parent_issue_id) WHERE parent_issue_id IS NOT NULL;
CREATE INDEX missions_assignee ON missions (assignee_id, created_at, id) WHERE assignee_id IS NOT NULL;

-- The next number of each prefix.
CREATE TABLE issue_counters (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  prefix TEXT NOT NULL,
  next_number INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, prefix)
) STRICT, WITHOUT ROWID;

CREATE TABLE mission_labels (
  mission_id TEXT NOT NULL REFERENCES missions (id),
  label_id TEXT NOT NULL REFERENCES labels (id),
  PRIMARY KEY (mission_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mission_labels_label ON mission_labels (label_id, mission_id);

-- Each stands once, read from either end.
CREATE TABLE mission_relations (
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES missions (id),
  target_id TEXT NOT NULL REFERENCES missions (id),
  relation_type TEXT NOT NULL CHECK (relation_type IN ('blocks', 'blocked_by', 'relates_to', 'duplicate_of')),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX mission_relations_source ON mission_relations (source_id);
CREATE INDEX mission_relations_target ON mission_relations (target_id);

CREATE TABLE mission_comments (
  id TEXT PRIMARY KEY,
  mission_id TEXT NOT NULL REFERENCES missions (id),
  author_type TEXT NOT NULL CHECK (author_type IN ('user', 'agent')),
  author_id TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX mission_comments_mission ON mission_comments (mission_id, id);

-- What happened to an issue, for people who look at it.
CREATE TABLE mission_activity (
  id TEXT PRIMARY KEY,
  mission_id TEXT NOT NULL REFERENCES missions (id),
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  action TEXT NOT NULL,
  details TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX mission_activity_mission ON mission_activity (mission_id, id);
CREATE INDEX missions_untriaged ON missions (workspace_id)
  WHERE mission_type = 'issue' AND status = 'BACKLOG' AND assignee_id IS NULL AND parent_issue_id IS NULL;

-- What becomes of new issues, by their titles.
CREATE TABLE triage_rules (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  pattern TEXT NOT NULL,
  match_type TEXT NOT NULL CHECK (match_type IN ('contains', 'regex', 'exact')),
  crew_id TEXT REFERENCES crews (id),
  assignee_id TEXT REFERENCES agents (id),
  project_id TEXT REFERENCES projects (id),
  priority TEXT CHECK (priority IN ('low', 'normal', 'high', 'urgent', 'none')),
  -- Kept for clients; processing does not read it.
  labels_json TEXT,
  position INTEGER NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  match_count INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX triage_rules_order ON triage_rules (workspace_id, position, created_at);
CREATE INDEX triage_rules_crew ON triage_rules (crew_id) WHERE crew_id IS NOT NULL;
CREATE INDEX triage_rules_assignee ON triage_rules (assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX triage_rules_project ON triage_rules (project_id) WHERE project_id IS NOT NULL;
