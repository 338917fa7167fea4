-- Questions of agents to others of their crew, each answered in a run of its own.
CREATE TABLE peer_conversations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  from_agent_id TEXT NOT NULL REFERENCES agents (id),
  to_agent_id TEXT NOT NULL REFERENCES agents (id),
  question TEXT NOT NULL,
  response TEXT,
  status TEXT NOT NULL CHECK (status IN ('RUNNING', 'COMPLETED', 'FAILED')),
  -- Why there is no answer.
  error TEXT,
  -- What the asker should know beside the answer.
  warning TEXT,
  -- The run that asks, and the one that answers.
  asking_run_id TEXT NOT NULL,
  run_id TEXT NOT NULL UNIQUE,
  -- The agent's call: made again after a restart it is the same question.
  call_id TEXT,
  created_at TEXT NOT NULL,
  -- Until then the asker waits.
  deadline_at TEXT NOT NULL,
  finished_at TEXT,
  duration_ms INTEGER,
  -- Milliseconds since 1970, for the duration.
  asked_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX peer_conversations_crew ON peer_conversations (crew_id);
CREATE INDEX peer_conversations_from ON peer_conversations (from_agent_id);
CREATE INDEX peer_conversations_to ON peer_conversations (to_agent_id);
CREATE UNIQUE INDEX peer_conversations_call ON peer_conversations (call_id) WHERE call_id IS NOT NULL;
CREATE INDEX peer_conversations_open ON peer_conversations (deadline_at) WHERE status = 'RUNNING';
CREATE INDEX peer_conversations_asking ON peer_conversations (asking_run_id) WHERE status = 'RUNNING';
CREATE INDEX escalations_run ON escalations (run_id) WHERE run_id IS NOT NULL;
