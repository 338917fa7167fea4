-- Files that people give to the chat of an agent. Their bytes are kept below the data folder, under storage_key.
CREATE TABLE attachments (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  crew_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  filename TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  -- Where the agent finds it; null until it is there.
  agent_path TEXT,
  uploaded_by_user_id TEXT,
  -- gone: its bytes are to be removed, then the row.
  state TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'gone')),
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX attachments_same ON attachments (chat_id, sha256, filename) WHERE state <> 'gone';
CREATE INDEX attachments_chat ON attachments (chat_id, created_at DESC, id DESC);
CREATE INDEX attachments_agent ON attachments (agent_id);
CREATE INDEX attachments_workspace ON attachments (workspace_id);
CREATE INDEX attachments_pending ON attachments (created_at) WHERE state = 'pending';
CREATE INDEX attachments_gone ON attachments (id) WHERE state = 'gone';
