-- A run is carried out by one program after the other: each question to a person ends one, each answer begins the next.
ALTER TABLE run_executions ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
-- Of the programs that have ended: how long they worked, and what they spent (JSON, null before the first).
ALTER TABLE run_executions ADD COLUMN worked_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_executions ADD COLUMN spent_json TEXT;

-- An agent at work on one thing: a chat, and a mission once there are missions. The last question is kept with its answer's card.
CREATE TABLE agent_sessions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  agent_id TEXT NOT NULL REFERENCES agents (id),
  mission_id TEXT,
  chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
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
CREATE UNIQUE INDEX agent_sessions_place ON agent_sessions (agent_id, chat_id);
CREATE INDEX agent_sessions_run ON agent_sessions (run_id);
CREATE INDEX agent_sessions_chat ON agent_sessions (chat_id);
CREATE INDEX agent_sessions_item ON agent_sessions (workspace_id, inbox_item_id);

-- An answer on its way to the agent that asked: one for each card, whatever happens.
CREATE TABLE answer_deliveries (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  inbox_item_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  comment_id TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX answer_deliveries_card ON answer_deliveries (workspace_id, inbox_item_id);
