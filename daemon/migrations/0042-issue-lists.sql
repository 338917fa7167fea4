-- Issues in every order of a list. The rowid ends each index, which is how equal ones are told apart.
DROP INDEX missions_workspace;
DROP INDEX missions_crew;
CREATE INDEX missions_workspace ON missions (workspace_id, mission_type, created_at);
CREATE INDEX missions_crew ON missions (crew_id, mission_type, created_at);
CREATE INDEX missions_updated ON missions (workspace_id, mission_type, updated_at, created_at);
CREATE INDEX missions_rank ON missions (workspace_id, mission_type,
  CASE priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END,
  created_at DESC);
CREATE INDEX missions_due ON missions (workspace_id, mission_type, due_date IS NULL, due_date, created_at DESC);
CREATE INDEX missions_sorted ON missions (workspace_id, mission_type, sort_order, created_at DESC);
CREATE INDEX missions_crew_status ON missions (crew_id, mission_type, status);
CREATE INDEX missions_status ON missions (workspace_id, mission_type, status, priority, created_at);

-- Parts of titles, for those that few issues have.
CREATE VIRTUAL TABLE mission_titles USING fts5 (
  title, content = 'missions', content_rowid = 'rowid', tokenize = 'trigram', detail = 'none'
);
INSERT INTO mission_titles (mission_titles) VALUES ('rebuild');
CREATE TRIGGER mission_titles_added AFTER INSERT ON missions BEGIN
  INSERT INTO mission_titles (rowid, title) VALUES (new.rowid, new.title);
END;
CREATE TRIGGER mission_titles_deleted AFTER DELETE ON missions BEGIN
  INSERT INTO mission_titles (mission_titles, rowid, title) VALUES ('delete', old.rowid, old.title);
END;
CREATE TRIGGER mission_titles_changed AFTER UPDATE OF title ON missions BEGIN
  INSERT INTO mission_titles (mission_titles, rowid, title) VALUES ('delete', old.rowid, old.title);
  INSERT INTO mission_titles (rowid, title) VALUES (new.rowid, new.title);
END;
