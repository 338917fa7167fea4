-- What agents asked of the judge, and what became of it. `decision` is PENDING until something decides.
CREATE TABLE keeper_requests (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT,
  agent_id TEXT,
  credential_id TEXT,
  security_level INTEGER,
  request_type TEXT NOT NULL,
  task_id TEXT,
  run_id TEXT,
  chat_id TEXT,
  intent TEXT NOT NULL,
  command TEXT,
  env_var TEXT,
  decision TEXT NOT NULL CHECK (decision IN ('PENDING', 'ALLOW', 'WARN', 'DENY', 'ESCALATE')),
  reason TEXT,
  risk_score INTEGER,
  -- What decided: a rule, the judge, a person, or the end of the time to answer.
  rule TEXT,
  exit_code INTEGER,
  prompt TEXT,
  raw_response TEXT,
  judge_profile TEXT,
  -- Null until a command that people allowed is carried out, which is once.
  used_at TEXT,
  settled_by_user_id TEXT,
  created_at TEXT NOT NULL,
  decided_at TEXT
) STRICT;
CREATE INDEX keeper_requests_workspace ON keeper_requests (workspace_id, seq);
CREATE INDEX keeper_requests_agent ON keeper_requests (agent_id, seq);
CREATE INDEX keeper_requests_pair ON keeper_requests (agent_id, credential_id, seq);
CREATE INDEX keeper_requests_precedents ON keeper_requests (workspace_id, security_level, seq)
  WHERE settled_by_user_id IS NOT NULL;
CREATE INDEX keeper_requests_pending ON keeper_requests (decision) WHERE decision = 'PENDING';

-- The states of a request, one after the other. They are added to and never changed.
CREATE TABLE keeper_request_events (
  seq INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  risk_score INTEGER,
  exit_code INTEGER,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  recorded_at TEXT NOT NULL
) STRICT;
CREATE INDEX keeper_request_events_request ON keeper_request_events (request_id, seq);
CREATE INDEX keeper_request_events_workspace ON keeper_request_events (workspace_id, actor_id);
CREATE TRIGGER keeper_request_events_kept BEFORE UPDATE OF seq, request_id, state, reason, risk_score, exit_code,
  actor_type, recorded_at ON keeper_request_events
BEGIN
  SELECT RAISE(ABORT, 'what became of a request is not rewritten');
END;

-- A lease that was asked for ends; what a person assigned goes on as before, until `given_until`.
ALTER TABLE agent_credentials ADD COLUMN given_until TEXT;
-- There was no assignment before the lease.
ALTER TABLE agent_credentials ADD COLUMN by_lease INTEGER NOT NULL DEFAULT 0 CHECK (by_lease IN (0, 1));
CREATE INDEX agent_credentials_leases ON agent_credentials (expires_at)
  WHERE lease_source IN ('keeper_allow', 'escalation_approve');
