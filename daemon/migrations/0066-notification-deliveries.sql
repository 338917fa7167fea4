-- What each person wants through which channel. The category "*" mutes a channel.
CREATE TABLE user_notification_prefs (
  channel_id TEXT NOT NULL REFERENCES notification_channels (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  category TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  state TEXT NOT NULL CHECK (state IN ('off', 'immediate')),
  updated_at TEXT NOT NULL,
  PRIMARY KEY (channel_id, user_id, category)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_notification_prefs_user ON user_notification_prefs (workspace_id, user_id);
CREATE INDEX user_notification_prefs_wanted ON user_notification_prefs (workspace_id, category)
  WHERE state = 'immediate';

-- What happened that channels may tell of; the id is that of its entry in the journal.
CREATE TABLE notification_events (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  category TEXT NOT NULL,
  priority TEXT NOT NULL,
  source_kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  title TEXT NOT NULL,
  -- Null: all members; else a JSON list of people.
  audience_json TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX notification_events_source ON notification_events (workspace_id, source_id, created_at);
CREATE INDEX notification_events_age ON notification_events (created_at);

-- What was sent, is to be sent, or was left, each row for one person and channel: outbox and log in one.
CREATE TABLE notification_deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  channel_id TEXT NOT NULL REFERENCES notification_channels (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  event_id TEXT NOT NULL,
  category TEXT NOT NULL,
  dedup_key TEXT NOT NULL,
  source_kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  title TEXT NOT NULL,
  -- Null once nothing is to be sent any more.
  message_json TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'sent', 'failed', 'dropped_pref', 'dropped_rate')),
  -- Why it failed, or was left.
  error TEXT,
  attempts INTEGER NOT NULL,
  -- Milliseconds since 1970; null when there is no attempt to come.
  next_at INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  sent_at TEXT,
  UNIQUE (channel_id, user_id, dedup_key)
) STRICT;
CREATE INDEX notification_deliveries_log ON notification_deliveries (workspace_id, seq);
CREATE INDEX notification_deliveries_status ON notification_deliveries (workspace_id, status, seq);
CREATE INDEX notification_deliveries_due ON notification_deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX notification_deliveries_open ON notification_deliveries (channel_id, seq) WHERE next_at IS NOT NULL;
CREATE INDEX notification_deliveries_order ON notification_deliveries (channel_id, source_id, user_id, seq)
  WHERE next_at IS NOT NULL;
CREATE INDEX notification_deliveries_rate ON notification_deliveries (channel_id, user_id, category, created_at);
CREATE INDEX notification_deliveries_event ON notification_deliveries (event_id);
CREATE INDEX notification_deliveries_age ON notification_deliveries (created_at);

-- The entry of the journal that a notification tells of.
ALTER TABLE notifications ADD COLUMN event_id TEXT;
