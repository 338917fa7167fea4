-- What waits for a person, of whatever kind: one row each, beside the row of its kind with what is particular.
CREATE TABLE decisions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  kind TEXT NOT NULL,
  -- Of the inbox item that shows it.
  item_id TEXT NOT NULL,
  -- What is to be decided, in a line.
  asked TEXT NOT NULL,
  crew_id TEXT,
  agent_id TEXT,
  run_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'decided', 'expired', 'withdrawn')),
  -- What was decided, as the inbox item tells it; null while it is open.
  outcome TEXT,
  created_at TEXT NOT NULL,
  -- Null: people may take as long as they like.
  deadline_at TEXT,
  settled_at TEXT,
  -- Null: Muster, or whoever held a token.
  settled_by_user_id TEXT
) STRICT;

-- How an item is decided; null once nothing decides it any more.
ALTER TABLE inbox_items ADD COLUMN decides_json TEXT;
ALTER TABLE inbox_items ADD COLUMN run_id TEXT;

INSERT INTO decisions
  SELECT id, workspace_id, 'escalation', 'ibx_escalation_' || id, reason, crew_id, from_agent_id, run_id,
    CASE status WHEN 'PENDING' THEN 'open' WHEN 'RESOLVED' THEN 'decided' WHEN 'EXPIRED' THEN 'expired' ELSE 'withdrawn' END,
    CASE status WHEN 'RESOLVED' THEN action WHEN 'EXPIRED' THEN 'expired' WHEN 'CANCELLED' THEN 'cancelled' END,
    created_at, answer_deadline_at, resolved_at, resolved_by_user_id
  FROM escalations;
INSERT INTO decisions
  SELECT id, workspace_id, 'approval', 'ibx_waitpoint_' || coalesce(json_extract(payload_json, '$.target_id'), id), reason,
    crew_id, agent_id, NULL,
    CASE status WHEN 'pending' THEN 'open' WHEN 'timeout' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn' ELSE 'decided' END,
    CASE status WHEN 'timeout' THEN 'timed_out' WHEN 'pending' THEN NULL ELSE status END,
    created_at, timeout_at, decided_at, decided_by
  FROM approvals;
INSERT INTO decisions
  SELECT id, workspace_id, 'waitpoint', 'ibx_waitpoint_' || id, prompt, invoking_crew_id, NULL, run_id,
    CASE status WHEN 'pending' THEN 'open' WHEN 'timed_out' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn' ELSE 'decided' END,
    CASE status WHEN 'pending' THEN NULL ELSE status END,
    created_at, timeout_at, decided_at, decided_by
  FROM waitpoints;
INSERT INTO decisions
  SELECT s.ask_id, s.workspace_id, 'question', s.inbox_item_id, s.question, a.crew_id, s.agent_id, s.run_id,
    'open', NULL, s.asked_at, NULL, NULL, NULL
  FROM agent_sessions s JOIN agents a ON a.id = s.agent_id WHERE s.status = 'awaiting_input';

UPDATE inbox_items SET run_id = json_extract(payload_json, '$.run_id'), decides_json = json_object(
    'operation', 'escalations.resolve', 'params', json_object('escalationId', source_id),
    'hint', 'Answer the escalation: PATCH /api/v1/escalations/' || source_id || '/resolve (muster escalations resolve ' || source_id || ')',
    'guarded', json(iif(json_extract(payload_json, '$.escalation_type') = 'CREDENTIAL', 'true', 'false')),
    'choices', json(iif(json_extract(payload_json, '$.escalation_type') = 'CREDENTIAL', '[]',
      '[{"id":"answer","label":"Answer","effect":"The agent goes on.","body":{"action":"approve"},"text":{"member":"resolution","required":true}}]')))
  WHERE kind = 'escalation' AND EXISTS (SELECT 1 FROM escalations e WHERE e.id = source_id);
UPDATE inbox_items SET decides_json = json_insert(decides_json,
    '$.choices[#]', json('{"id":"approve","label":"Approve","means":"approve","effect":"The agent goes on.","body":{"action":"approve","resolution":"Approved."},"text":{"member":"resolution","required":false}}'),
    '$.choices[#]', json('{"id":"reject","label":"Deny","means":"deny","effect":"The agent goes on.","body":{"action":"reject","resolution":"Denied."},"text":{"member":"resolution","required":false}}'))
  WHERE kind = 'escalation' AND decides_json IS NOT NULL;
UPDATE inbox_items SET decides_json = (SELECT json_object(
    'operation', 'approvals.decide', 'params', json_object('approvalId', d.id),
    'hint', 'Decide the approval: POST /api/v1/approvals/' || d.id || '/decide (muster approve ' || d.id || ')',
    'choices', json('[{"id":"approve","label":"Approve","means":"approve","body":{"status":"approved"},"text":{"member":"comment","required":false}},{"id":"deny","label":"Deny","means":"deny","body":{"status":"denied"},"text":{"member":"comment","required":false}}]'))
    FROM decisions d WHERE d.workspace_id = inbox_items.workspace_id AND d.item_id = inbox_items.id
      AND d.kind = 'approval' AND d.state = 'open' LIMIT 1)
  WHERE kind = 'waitpoint' AND json_extract(payload_json, '$.approval_id') IS NOT NULL;
UPDATE inbox_items SET run_id = json_extract(payload_json, '$.pipeline_run_id'), decides_json = (SELECT json_object(
    'operation', 'waitpoints.approve', 'params', json_object('workspaceId', d.workspace_id, 'token', d.id),
    'hint', 'Decide the waitpoint: POST /api/v1/workspaces/…/pipelines/waitpoints/' || d.id || '/approve (muster approve ' || d.id || ')',
    'choices', json('[{"id":"approve","label":"Approve","means":"approve","body":{"approved":true},"text":{"member":"comment","required":false}},{"id":"deny","label":"Deny","means":"deny","body":{"approved":false},"text":{"member":"comment","required":false}}]'))
    FROM decisions d WHERE d.id = source_id AND d.kind = 'waitpoint' AND d.state = 'open')
  WHERE kind = 'waitpoint' AND json_extract(payload_json, '$.waitpoint_id') IS NOT NULL;
UPDATE inbox_items SET run_id = json_extract(payload_json, '$.context.run'), decides_json = iif(resolved_at IS NULL, json_object(
    'operation', 'inbox.act', 'params', json_object('itemId', id), 'resolves', 'dismiss',
    'choices', json('[{"id":"answer","label":"Answer","effect":"The agent goes on.","body":{"action":"answer"},"text":{"member":"input","required":true}},{"id":"take_over","label":"Take over","effect":"The run is ended; the chat is yours.","body":{"action":"take_over"}},{"id":"dismiss","label":"Dismiss","means":"deny","effect":"The run is ended.","body":{"action":"dismiss"}}]')), NULL)
  WHERE kind = 'run_needs_human';

DROP INDEX escalations_crew;
DROP INDEX escalations_status;
DROP INDEX escalations_open;
DROP INDEX escalations_pending;
DROP INDEX escalations_asked;
ALTER TABLE escalations DROP COLUMN status;
ALTER TABLE escalations DROP COLUMN action;
ALTER TABLE escalations DROP COLUMN resolved_by;
ALTER TABLE escalations DROP COLUMN resolved_by_user_id;
ALTER TABLE escalations DROP COLUMN resolved_at;
ALTER TABLE escalations DROP COLUMN answer_deadline_at;
CREATE INDEX escalations_of_crew ON escalations (crew_id);

DROP INDEX approvals_status;
DROP INDEX approvals_newest;
DROP INDEX approvals_open;
ALTER TABLE approvals DROP COLUMN status;
ALTER TABLE approvals DROP COLUMN decided_by;
ALTER TABLE approvals DROP COLUMN decided_at;
ALTER TABLE approvals DROP COLUMN timeout_at;

DROP INDEX waitpoints_open;
DROP INDEX waitpoints_timeout;
ALTER TABLE waitpoints DROP COLUMN status;
ALTER TABLE waitpoints DROP COLUMN timeout_at;
ALTER TABLE waitpoints DROP COLUMN decided_by;
ALTER TABLE waitpoints DROP COLUMN decided_at;

CREATE INDEX decisions_newest ON decisions (workspace_id, kind, created_at, id);
CREATE INDEX decisions_state ON decisions (workspace_id, kind, state, created_at, id);
CREATE INDEX decisions_crew ON decisions (crew_id, kind, created_at, id);
CREATE INDEX decisions_crew_state ON decisions (crew_id, kind, state, created_at, id);
CREATE INDEX decisions_item ON decisions (workspace_id, item_id, created_at);
CREATE INDEX decisions_due ON decisions (deadline_at) WHERE state = 'open';
CREATE INDEX decisions_open ON decisions (agent_id, kind) WHERE state = 'open';
