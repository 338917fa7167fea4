CREATE TABLE chats (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  agent_id TEXT NOT NULL REFERENCES agents (id),
  title TEXT,
  mode TEXT NOT NULL,
  status TEXT NOT NULL,
  visibility TEXT NOT NULL,
  origin TEXT,
  created_by TEXT,
  message_count INTEGER NOT NULL,
  -- Newest number of a frame of this chat; a run that is going on may be past it.
  last_frame INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  last_activity_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX chats_agent ON chats (agent_id, last_activity_at, id);

CREATE TABLE chat_messages (
  chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  agent_id TEXT,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  parts_json TEXT,
  tool_name TEXT,
  tool_summary TEXT,
  metadata_json TEXT,
  ts TEXT NOT NULL,
  author_user_id TEXT,
  run_id TEXT
) STRICT;
CREATE UNIQUE INDEX chat_messages_place ON chat_messages (chat_id, seq);
CREATE INDEX chat_messages_agent ON chat_messages (agent_id, ts);

CREATE TABLE chat_read_cursors (
  chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  last_seq INTEGER NOT NULL,
  last_read_at TEXT NOT NULL,
  PRIMARY KEY (chat_id, user_id)
) STRICT, WITHOUT ROWID;

-- What is needed to carry out a run and to find it again after a restart. The run as clients see it is in the journal.
CREATE TABLE run_executions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  crew_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  agent_slug TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  triggered_by TEXT,
  trigger_type TEXT NOT NULL,
  max_turns INTEGER NOT NULL,
  -- queued, launching (told to start, perhaps started), running (surely started), ended
  phase TEXT NOT NULL,
  -- Number of the run's first frame, and of the first one that comes of its output.
  first_frame INTEGER NOT NULL,
  output_frame INTEGER,
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
  -- The spool of an ended run is removed.
  discarded INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX run_executions_chat ON run_executions (chat_id) WHERE phase <> 'ended';
CREATE INDEX run_executions_history ON run_executions (agent_id, created_at);
CREATE INDEX run_executions_open ON run_executions (created_at) WHERE phase <> 'ended';
CREATE INDEX run_executions_agent ON run_executions (agent_id) WHERE phase <> 'ended';
CREATE INDEX run_executions_crew ON run_executions (crew_id) WHERE phase <> 'ended';
CREATE INDEX run_executions_left ON run_executions (crew_id) WHERE phase = 'ended' AND discarded = 0 AND launch_json IS NOT NULL;
