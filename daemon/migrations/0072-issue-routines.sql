-- The routine that does an issue, with what it is given, and the run of it that is at work.
ALTER TABLE missions ADD COLUMN routine_id TEXT REFERENCES routines (id);
ALTER TABLE missions ADD COLUMN routine_inputs_json TEXT;
ALTER TABLE missions ADD COLUMN work_run_id TEXT;
CREATE INDEX missions_routine ON missions (routine_id) WHERE routine_id IS NOT NULL;
CREATE INDEX missions_work_run ON missions (work_run_id) WHERE work_run_id IS NOT NULL;
CREATE INDEX routine_runs_issue ON routine_runs (triggered_by_id) WHERE triggered_via = 'issue';
