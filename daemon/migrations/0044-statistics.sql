-- What is counted of issues and runs, so that counting reads an index alone.
CREATE INDEX missions_of_project ON missions (project_id, crew_id, status, assignee_type, assignee_id)
  WHERE project_id IS NOT NULL;
CREATE INDEX missions_closed ON missions (workspace_id, completed_at, crew_id)
  WHERE mission_type = 'issue' AND completed_at IS NOT NULL;
CREATE INDEX run_records_begun ON run_records (workspace_id, started, crew_id);
CREATE INDEX run_records_cost ON run_records (workspace_id, finished, cost_usd, json_extract(details, '$.model'))
  WHERE cost_usd IS NOT NULL;
