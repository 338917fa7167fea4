-- Sessions that agents' clients keep for chats, so that a chat's next turn goes on where the last one stopped.
CREATE TABLE client_sessions (
  -- Its folder among the runs of the agent, which holds this session alone.
  folder TEXT PRIMARY KEY,
  chat_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  crew_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  -- What the session belongs to: another client or model cannot go on with it.
  adapter TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT,
  -- The client's own id of the session; null until a turn was completed, as is all that follows.
  session_id TEXT,
  -- The run that it knows last, the message which that answered, and how many messages stood there up to that one.
  known_run TEXT,
  known_message TEXT,
  known_count INTEGER,
  -- JSON of what it used of the model service in all.
  used_json TEXT,
  -- Milliseconds since 1970.
  used_at INTEGER NOT NULL,
  -- Its folder is to be removed.
  gone INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX client_sessions_chat ON client_sessions (chat_id) WHERE gone = 0;
CREATE INDEX client_sessions_gone ON client_sessions (crew_id) WHERE gone = 1;
