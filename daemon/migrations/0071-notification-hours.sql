-- When people are left in peace, and when they get what waited. Times of day in their time zone.
CREATE TABLE notification_hours (
  user_id TEXT PRIMARY KEY REFERENCES users (id),
  time_zone TEXT NOT NULL,
  quiet_from TEXT,
  quiet_until TEXT,
  digest_at TEXT,
  -- Whether approvals and escalations wait too.
  urgent_waits INTEGER NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The delivery that tells of this one together with others.
ALTER TABLE notification_deliveries ADD COLUMN digest_id TEXT;
CREATE INDEX notification_deliveries_digest ON notification_deliveries (digest_id, seq) WHERE digest_id IS NOT NULL;
CREATE INDEX notification_deliveries_digests ON notification_deliveries (channel_id, user_id, next_at)
  WHERE source_kind = 'digest' AND next_at IS NOT NULL;
