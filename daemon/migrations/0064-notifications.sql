-- What people were told of, each row for one person.
CREATE TABLE notifications (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  actor_type TEXT NOT NULL CHECK (actor_type IN ('user', 'agent')),
  -- "muster": the daemon itself, which has no name among people and agents.
  actor_id TEXT NOT NULL,
  action TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id TEXT,
  entity_title TEXT,
  read_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX notifications_user ON notifications (user_id, seq);
CREATE INDEX notifications_unread ON notifications (user_id, seq) WHERE read_at IS NULL;
CREATE INDEX notifications_workspace ON notifications (workspace_id, user_id);
CREATE INDEX notifications_age ON notifications (created_at);
