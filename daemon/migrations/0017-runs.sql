-- Runs as the journal tells of them, rebuilt from its entries.
ALTER TABLE runs RENAME TO run_records;
DROP INDEX runs_id;
DROP INDEX runs_newest;
DROP INDEX runs_status;
DROP INDEX runs_trigger;
DROP INDEX runs_agent;
DROP INDEX runs_failed;
CREATE UNIQUE INDEX run_records_id ON run_records (workspace_id, id);
CREATE INDEX run_records_newest ON run_records (workspace_id, started);
CREATE INDEX run_records_status ON run_records (workspace_id, status, started);
CREATE INDEX run_records_trigger ON run_records (workspace_id, trigger_type, started);
CREATE INDEX run_records_agent ON run_records (workspace_id, agent_id, started);
CREATE INDEX run_records_failed ON run_records (workspace_id, finished) WHERE status IN ('FAILED', 'TIMEOUT');

-- What is needed to carry out a run and to find it again after a restart.
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  crew_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  agent_slug TEXT NOT NULL,
  -- The chat that it belongs to; null when it belongs to none.
  chat_id TEXT,
  -- What says what the next program of the run is told (chat, answer), and which of its things that is.
  source TEXT NOT NULL,
  source_id TEXT,
  triggered_by TEXT,
  trigger_type TEXT NOT NULL,
  max_turns INTEGER NOT NULL,
  -- queued, launching (told to start, perhaps started), running (surely started), parking, parked, ended
  phase TEXT NOT NULL,
  -- Frames are numbered in a stream: of the chat, else of the run alone. One run of a stream is open at a time.
  stream TEXT NOT NULL,
  -- Number of the run's first frame, of the first one that comes of its output, and of the last one that was kept.
  first_frame INTEGER NOT NULL,
  output_frame INTEGER,
  last_frame INTEGER NOT NULL DEFAULT 0,
  init_noted INTEGER NOT NULL DEFAULT 0,
  -- What the program was started with, as far as its output cannot be read without it.
  launch_json TEXT,
  created_at INTEGER NOT NULL,
  launched_at INTEGER,
  cancelled_at INTEGER,
  cancelled_by TEXT,
  ended_at INTEGER,
  outcome TEXT,
  tokens INTEGER,
  -- How many programs of the run have ended before this one; how long those worked, and what they spent.
  attempt INTEGER NOT NULL DEFAULT 0,
  worked_ms INTEGER NOT NULL DEFAULT 0,
  spent_json TEXT,
  -- The spool of an ended run is removed.
  discarded INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO runs (id, workspace_id, crew_id, agent_id, agent_name, agent_slug, chat_id, source, source_id, triggered_by,
  trigger_type, max_turns, phase, stream, first_frame, output_frame, last_frame, init_noted, launch_json, created_at,
  launched_at, cancelled_at, cancelled_by, ended_at, outcome, tokens, attempt, worked_ms, spent_json, discarded)
SELECT e.id, e.workspace_id, e.crew_id, e.agent_id, e.agent_name, e.agent_slug, e.chat_id,
  CASE WHEN json_extract(m.metadata_json, '$.answer_to') IS NULL THEN 'chat' ELSE 'answer' END, e.message_id,
  e.triggered_by, e.trigger_type, e.max_turns, e.phase, e.chat_id, e.first_frame, e.output_frame,
  coalesce(c.last_frame, 0), e.init_noted, e.launch_json, e.created_at, e.launched_at, e.cancelled_at, e.cancelled_by,
  e.ended_at, e.outcome, e.tokens, e.attempt, e.worked_ms, e.spent_json, e.discarded
FROM run_executions e LEFT JOIN chats c ON c.id = e.chat_id LEFT JOIN chat_messages m ON m.id = e.message_id;
DROP TABLE run_executions;
CREATE UNIQUE INDEX runs_stream ON runs (stream) WHERE phase <> 'ended';
CREATE INDEX runs_frames ON runs (stream, last_frame);
CREATE INDEX runs_history ON runs (agent_id, created_at);
CREATE INDEX runs_open ON runs (created_at) WHERE phase <> 'ended';
CREATE INDEX runs_agent ON runs (agent_id) WHERE phase <> 'ended';
CREATE INDEX runs_crew ON runs (crew_id) WHERE phase <> 'ended';
CREATE INDEX runs_left ON runs (crew_id) WHERE phase = 'ended' AND discarded = 0 AND launch_json IS NOT NULL;
ALTER TABLE chats DROP COLUMN last_frame;

-- What was said in runs that belong to no chat.
CREATE TABLE run_messages (
  run_id TEXT NOT NULL REFERENCES runs (id),
  seq INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  parts_json TEXT,
  tool_summary TEXT,
  metadata_json TEXT,
  ts TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_messages_agent ON run_messages (agent_id, ts);
CREATE INDEX chat_messages_run ON chat_messages (run_id);
