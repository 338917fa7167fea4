-- Who wants a category is looked up for those whom an event concerns; these are mostly one or two.
DROP INDEX user_notification_prefs_wanted;
CREATE INDEX user_notification_prefs_wanted ON user_notification_prefs (workspace_id, category, user_id)
  WHERE state = 'immediate';

-- What agents send, and what routines' runs tell channels, is for nobody in particular.
CREATE TABLE new_deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  channel_id TEXT NOT NULL REFERENCES notification_channels (id),
  -- Null: nobody in particular, for whoever reads the channel.
  user_id TEXT REFERENCES users (id),
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
  -- The delivery that tells of this one together with others.
  digest_id TEXT,
  UNIQUE (channel_id, user_id, dedup_key)
) STRICT;
INSERT INTO new_deliveries (seq, id, workspace_id, channel_id, user_id, event_id, category, dedup_key, source_kind, source_id, title,
  message_json, status, error, attempts, next_at, created_at, updated_at, sent_at, digest_id)
  SELECT seq, id, workspace_id, channel_id, user_id, event_id, category, dedup_key, source_kind, source_id, title,
  message_json, status, error, attempts, next_at, created_at, updated_at, sent_at, digest_id
  FROM notification_deliveries;
DROP TABLE notification_deliveries;
ALTER TABLE new_deliveries RENAME TO notification_deliveries;
CREATE INDEX notification_deliveries_log ON notification_deliveries (workspace_id, seq);
CREATE INDEX notification_deliveries_status ON notification_deliveries (workspace_id, status, seq);
CREATE INDEX notification_deliveries_due ON notification_deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX notification_deliveries_open ON notification_deliveries (channel_id, seq) WHERE next_at IS NOT NULL;
CREATE INDEX notification_deliveries_order ON notification_deliveries (channel_id, source_id, user_id, seq)
  WHERE next_at IS NOT NULL;
CREATE INDEX notification_deliveries_rate ON notification_deliveries (channel_id, user_id, category, created_at);
CREATE INDEX notification_deliveries_event ON notification_deliveries (event_id);
CREATE INDEX notification_deliveries_age ON notification_deliveries (created_at);
CREATE INDEX notification_deliveries_digest ON notification_deliveries (digest_id, seq) WHERE digest_id IS NOT NULL;
CREATE INDEX notification_deliveries_digests ON notification_deliveries (channel_id, user_id, next_at)
  WHERE source_kind = 'digest' AND next_at IS NOT NULL;

-- The log, by channel and by category; the rest of what it is asked for stands in the index as well.
CREATE INDEX notification_deliveries_channel
  ON notification_deliveries (workspace_id, channel_id, seq, category, status);
CREATE INDEX notification_deliveries_category ON notification_deliveries (workspace_id, category, seq, status);
