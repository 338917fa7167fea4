-- A mission: its plan, who leads it, how far it is, and why it ended.
ALTER TABLE missions ADD COLUMN plan TEXT;
ALTER TABLE missions ADD COLUMN lead_agent_id TEXT REFERENCES agents (id);
ALTER TABLE missions ADD COLUMN workflow_template TEXT;
-- Groups the entries of one attempt; a restart begins another one.
ALTER TABLE missions ADD COLUMN trace_id TEXT;
ALTER TABLE missions ADD COLUMN started_at TEXT;
-- It fails when it is not over by then.
ALTER TABLE missions ADD COLUMN deadline_at TEXT;
ALTER TABLE missions ADD COLUMN error_message TEXT;
-- The run in which the LEAD plans, how often it was asked, and whether its plan may begin at once.
ALTER TABLE missions ADD COLUMN plan_run_id TEXT;
ALTER TABLE missions ADD COLUMN plan_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE missions ADD COLUMN plan_starts INTEGER NOT NULL DEFAULT 0 CHECK (plan_starts IN (0, 1));
-- `asked`: a run is at work on it. `again`: the LEAD is to be asked again. `start`: the mission may begin.
ALTER TABLE missions ADD COLUMN plan_state TEXT CHECK (plan_state IN ('asked', 'again', 'start'));
CREATE INDEX missions_plan ON missions (plan_state) WHERE plan_state IN ('again', 'start');
-- The request to approve its plan.
ALTER TABLE missions ADD COLUMN approval_id TEXT;
CREATE INDEX missions_lead ON missions (lead_agent_id) WHERE lead_agent_id IS NOT NULL;
CREATE INDEX missions_open ON missions (workspace_id, crew_id)
  WHERE mission_type = 'orchestration' AND status IN ('PLANNING', 'IN_PROGRESS', 'REVIEW');
CREATE INDEX missions_deadline ON missions (deadline_at) WHERE status = 'IN_PROGRESS' AND deadline_at IS NOT NULL;

-- Tasks of a mission: each is done by an agent once all that it depends on is done.
CREATE TABLE mission_tasks (
  id TEXT PRIMARY KEY,
  mission_id TEXT NOT NULL REFERENCES missions (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'BLOCKED', 'IN_PROGRESS', 'AWAITING_APPROVAL', 'COMPLETED',
    'FAILED', 'SKIPPED', 'CANCELLED')),
  -- Null: the LEAD of the mission does it.
  assigned_agent_id TEXT REFERENCES agents (id),
  task_order INTEGER NOT NULL,
  -- Ids of tasks of the same mission, as JSON.
  depends_on TEXT NOT NULL DEFAULT '[]',
  -- How often it was tried, and how often it may be.
  iteration INTEGER NOT NULL DEFAULT 0,
  max_iterations INTEGER NOT NULL,
  -- The assignment of the present attempt.
  assignment_id TEXT,
  result_summary TEXT,
  error_message TEXT,
  -- What the agent said of its work: 0 is guessing, 1 is certain.
  confidence REAL,
  approval_required INTEGER NOT NULL DEFAULT 0 CHECK (approval_required IN (0, 1)),
  approval_status TEXT CHECK (approval_status IN ('APPROVED', 'REJECTED')),
  -- The request to approve its result.
  approval_id TEXT,
  approved_by TEXT,
  approved_at TEXT,
  started_at TEXT,
  completed_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX mission_tasks_order ON mission_tasks (mission_id, task_order);
CREATE UNIQUE INDEX mission_tasks_assignment ON mission_tasks (assignment_id) WHERE assignment_id IS NOT NULL;
CREATE INDEX mission_tasks_agent ON mission_tasks (assigned_agent_id) WHERE assigned_agent_id IS NOT NULL;

-- What the agent is told of an assignment where that is more than the task: what others found out before.
ALTER TABLE assignments ADD COLUMN brief TEXT;
CREATE INDEX assignments_mission ON assignments (mission_id) WHERE mission_id IS NOT NULL;
ALTER TABLE assignments ADD COLUMN task_id TEXT;
CREATE INDEX assignments_task ON assignments (task_id) WHERE task_id IS NOT NULL;
