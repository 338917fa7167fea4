-- How many delegated runs a crew takes at once; null: as its memory allows.
ALTER TABLE crews ADD COLUMN max_concurrent_agents INTEGER;

-- Work that one agent gives to another.
CREATE TABLE assignments (
  -- Its place in the queue.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  -- The crew of the agent that does the work, whose places it takes.
  crew_id TEXT NOT NULL REFERENCES crews (id),
  -- The chat in which the work was asked for, if it was a chat.
  chat_id TEXT,
  mission_id TEXT,
  assigned_by_id TEXT NOT NULL REFERENCES agents (id),
  assigned_to_id TEXT NOT NULL REFERENCES agents (id),
  task TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
  -- 1: it is RUNNING, but its run has ended and it waits for what it delegated itself.
  waiting INTEGER NOT NULL DEFAULT 0,
  -- What one request made its agent delegate: the assignment whose work that is, else the first run.
  group_id TEXT NOT NULL,
  depth INTEGER NOT NULL,
  parent_assignment_id TEXT,
  parent_run_id TEXT NOT NULL,
  -- The run with which it all began, and the person who began that.
  chain_origin TEXT NOT NULL,
  triggered_by TEXT,
  -- The agent's call: made again after a restart it is the same assignment.
  call_id TEXT,
  approval_id TEXT,
  -- Its newest run.
  run_id TEXT,
  created_at TEXT NOT NULL,
  queued_at TEXT,
  running_at TEXT,
  started_at TEXT,
  finished_at TEXT,
  result_summary TEXT,
  error_message TEXT,
  -- What its agent was not allowed to delegate in turn, and why.
  refusal TEXT,
  -- How the end reached the agent that asked: `tool`, `turn` (of the run named), `none`.
  delivery TEXT CHECK (delivery IN ('tool', 'turn', 'none')),
  delivery_run_id TEXT
) STRICT;
CREATE INDEX assignments_crew ON assignments (crew_id, seq);
CREATE INDEX assignments_queue ON assignments (crew_id, seq) WHERE status = 'QUEUED';
CREATE INDEX assignments_queued ON assignments (workspace_id) WHERE status = 'QUEUED';
CREATE INDEX assignments_running ON assignments (crew_id) WHERE status = 'RUNNING' AND waiting = 0;
CREATE INDEX assignments_open ON assignments (assigned_to_id) WHERE finished_at IS NULL;
CREATE INDEX assignments_asked ON assignments (assigned_by_id) WHERE finished_at IS NULL;
CREATE INDEX assignments_group ON assignments (group_id, seq);
CREATE INDEX assignments_chain ON assignments (chain_origin, seq);
CREATE INDEX assignments_chat ON assignments (chat_id) WHERE chat_id IS NOT NULL;
CREATE INDEX assignments_delivered ON assignments (delivery_run_id) WHERE delivery_run_id IS NOT NULL;
CREATE INDEX assignments_undelivered ON assignments (group_id) WHERE finished_at IS NOT NULL AND delivery IS NULL;
CREATE UNIQUE INDEX assignments_call ON assignments (call_id) WHERE call_id IS NOT NULL;
CREATE INDEX agents_deleted ON agents (workspace_id, slug) WHERE deleted_at IS NOT NULL;
CREATE INDEX runs_assignment ON runs (source_id) WHERE source = 'assignment';
