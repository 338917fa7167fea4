-- What the journal of a workspace says of a person is erased: entries up to `upto`, of which those up to `seq` are done.
CREATE TABLE journal_erasures (
  id TEXT PRIMARY KEY,
  ws INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  upto INTEGER NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0,
  entries INTEGER NOT NULL DEFAULT 0,
  summaries_kept INTEGER NOT NULL DEFAULT 0,
  begun_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE UNIQUE INDEX journal_erasures_open ON journal_erasures (workspace_id, user_id) WHERE ended_at IS NULL;
CREATE INDEX journal_erasures_newest ON journal_erasures (workspace_id, begun_at);
