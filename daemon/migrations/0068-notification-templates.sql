-- Other words for what channels tell.
CREATE TABLE notification_templates (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  category TEXT NOT NULL,
  -- "": every channel.
  channel_id TEXT NOT NULL,
  -- "": as it would be without.
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, category, channel_id)
) STRICT, WITHOUT ROWID;
