-- Rooms of members of a workspace, and what is said there.
CREATE TABLE rooms (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  kind TEXT NOT NULL CHECK (kind IN ('group', 'channel')),
  -- Both people of a direct room, in order; null otherwise.
  pair TEXT,
  title TEXT,
  -- The room or chat from which it was continued.
  source_id TEXT,
  agent_id TEXT REFERENCES agents (id),
  -- The open run of its agent here: one at a time.
  run_id TEXT,
  created_by TEXT NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,
  last_message_at TEXT,
  -- Orders lists: the last message, else the creation.
  active_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX rooms_pair ON rooms (workspace_id, pair) WHERE pair IS NOT NULL;
CREATE INDEX rooms_agent ON rooms (agent_id) WHERE agent_id IS NOT NULL;

CREATE TABLE room_members (
  room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  workspace_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  last_read_seq INTEGER NOT NULL DEFAULT 0,
  joined_at TEXT NOT NULL,
  PRIMARY KEY (room_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_members_user ON room_members (user_id, workspace_id);

CREATE TABLE room_messages (
  room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('message', 'notice')),
  author_type TEXT NOT NULL CHECK (author_type IN ('user', 'agent', 'system')),
  author_id TEXT,
  id TEXT NOT NULL UNIQUE,
  -- Of the person who said it, for repeated requests.
  client_id TEXT,
  -- The run in which it was said.
  run_id TEXT,
  -- The question of the agent that it answers.
  question TEXT,
  created_at TEXT NOT NULL,
  content TEXT NOT NULL,
  -- What else the agent did, for the log of its run.
  parts_json TEXT,
  PRIMARY KEY (room_id, seq)
) STRICT;
CREATE UNIQUE INDEX room_messages_client ON room_messages (room_id, author_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX room_messages_author ON room_messages (author_id, created_at) WHERE author_type = 'user';
CREATE INDEX room_messages_run ON room_messages (run_id) WHERE run_id IS NOT NULL;

-- Messages that mention the agent of a room and wait for its run before.
CREATE TABLE room_calls (
  room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  PRIMARY KEY (room_id, seq)
) STRICT, WITHOUT ROWID;

-- What each request for a room has made. `source` is the room or chat that is continued, else the workspace.
CREATE TABLE room_requests (
  source TEXT NOT NULL,
  user_id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  -- SHA-256 of the normalised body.
  sha256 TEXT NOT NULL,
  room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (source, user_id, client_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_requests_room ON room_requests (room_id);

-- A run that asks a person may belong to a room instead of a chat.
CREATE TABLE asking_sessions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  agent_id TEXT NOT NULL REFERENCES agents (id),
  mission_id TEXT,
  chat_id TEXT REFERENCES chats (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('idle', 'running', 'awaiting_input')),
  run_id TEXT NOT NULL,
  -- The session of the agent's own client; null when it keeps none, and the answer comes with the chat's history.
  cli_resume_id TEXT,
  -- Place of the question in the journal.
  journal_cursor INTEGER NOT NULL,
  ask_id TEXT NOT NULL,
  -- The agent's call: made again after a restart it is the same question.
  call_id TEXT,
  question TEXT NOT NULL,
  inbox_item_id TEXT NOT NULL,
  asked_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
INSERT INTO asking_sessions SELECT * FROM agent_sessions;
DROP TABLE agent_sessions;
ALTER TABLE asking_sessions RENAME TO agent_sessions;
CREATE UNIQUE INDEX agent_sessions_place ON agent_sessions (agent_id, coalesce(chat_id, run_id));
CREATE INDEX agent_sessions_run ON agent_sessions (run_id);
CREATE INDEX agent_sessions_chat ON agent_sessions (chat_id);
CREATE INDEX agent_sessions_item ON agent_sessions (workspace_id, inbox_item_id);
