-- Each index of a list holds all that issues are chosen and sorted by, so that rows are read for one page alone.
DROP INDEX missions_workspace;
DROP INDEX missions_updated;
DROP INDEX missions_rank;
DROP INDEX missions_due;
DROP INDEX missions_sorted;
DROP INDEX missions_status;
DROP INDEX missions_crew;
DROP INDEX missions_crew_status;
DROP INDEX missions_project;
DROP INDEX missions_assignee;
CREATE INDEX missions_workspace ON missions (workspace_id, mission_type, created_at, status, priority, crew_id, project_id,
  assignee_id, id);
CREATE INDEX missions_updated ON missions (workspace_id, mission_type, updated_at, created_at, status, priority, crew_id,
  project_id, assignee_id, id);
CREATE INDEX missions_rank ON missions (workspace_id, mission_type,
  CASE priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END,
  created_at DESC, status, priority, crew_id, project_id, assignee_id, due_date, updated_at, sort_order, id);
CREATE INDEX missions_due ON missions (workspace_id, mission_type, due_date IS NULL, due_date, created_at DESC, status,
  priority, crew_id, project_id, assignee_id, id);
CREATE INDEX missions_sorted ON missions (workspace_id, mission_type, sort_order, created_at DESC, status, priority, crew_id,
  project_id, assignee_id, id);
CREATE INDEX missions_status ON missions (workspace_id, mission_type, status, priority, created_at, due_date, updated_at,
  sort_order, crew_id, project_id, assignee_id, id);
CREATE INDEX missions_crew ON missions (crew_id, mission_type, created_at, status, priority, due_date, updated_at, sort_order,
  project_id, assignee_id, workspace_id, id);
CREATE INDEX missions_project ON missions (project_id, created_at, status, priority, due_date, updated_at, sort_order, crew_id,
  assignee_id, workspace_id, mission_type, id) WHERE project_id IS NOT NULL;
CREATE INDEX missions_assignee ON missions (assignee_id, created_at, status, priority, due_date, updated_at, sort_order, crew_id,
  project_id, workspace_id, mission_type, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX crews_deleted ON crews (workspace_id) WHERE deleted_at IS NOT NULL;
