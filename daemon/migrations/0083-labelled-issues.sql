-- Issues by label, with all that they are chosen and sorted by: what an index would be if it could span two tables.
-- Triggers alone write it. `rowid` is the issue's in `missions`.
CREATE TABLE labelled_issues (
  label_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  rowid INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  mission_type TEXT NOT NULL,
  status TEXT NOT NULL,
  priority TEXT NOT NULL,
  due_date TEXT,
  updated_at TEXT NOT NULL,
  sort_order REAL NOT NULL,
  crew_id TEXT NOT NULL,
  project_id TEXT,
  assignee_id TEXT,
  title TEXT NOT NULL,
  PRIMARY KEY (label_id, created_at, rowid)
) STRICT, WITHOUT ROWID;

INSERT INTO labelled_issues (label_id, created_at, rowid, workspace_id, mission_type, status, priority, due_date,
  updated_at, sort_order, crew_id, project_id, assignee_id, title)
SELECT ml.label_id, m.created_at, m.rowid, m.workspace_id, m.mission_type, m.status, m.priority, m.due_date,
  m.updated_at, m.sort_order, m.crew_id, m.project_id, m.assignee_id, m.title
FROM mission_labels ml JOIN missions m ON m.id = ml.mission_id;

CREATE TRIGGER labelled_issues_added AFTER INSERT ON mission_labels BEGIN
  INSERT INTO labelled_issues (label_id, created_at, rowid, workspace_id, mission_type, status, priority, due_date,
    updated_at, sort_order, crew_id, project_id, assignee_id, title)
  SELECT new.label_id, m.created_at, m.rowid, m.workspace_id, m.mission_type, m.status, m.priority, m.due_date,
    m.updated_at, m.sort_order, m.crew_id, m.project_id, m.assignee_id, m.title
  FROM missions m WHERE m.id = new.mission_id;
END;
CREATE TRIGGER labelled_issues_removed AFTER DELETE ON mission_labels BEGIN
  DELETE FROM labelled_issues
  WHERE (label_id, created_at, rowid) = (
    SELECT old.label_id, m.created_at, m.rowid FROM missions m WHERE m.id = old.mission_id);
END;
CREATE TRIGGER labelled_issues_changed
AFTER UPDATE OF status, priority, due_date, updated_at, sort_order, crew_id, project_id, assignee_id, title ON missions
BEGIN
  UPDATE labelled_issues SET status = new.status, priority = new.priority, due_date = new.due_date,
    updated_at = new.updated_at, sort_order = new.sort_order, crew_id = new.crew_id, project_id = new.project_id,
    assignee_id = new.assignee_id, title = new.title
  WHERE label_id IN (SELECT ml.label_id FROM mission_labels ml WHERE ml.mission_id = new.id)
    AND created_at = new.created_at AND rowid = new.rowid;
END;
