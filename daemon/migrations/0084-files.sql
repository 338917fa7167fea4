-- What a channel of the workspace is called by in files.
ALTER TABLE notification_channels ADD COLUMN slug TEXT;
UPDATE notification_channels SET slug = coalesce(provider, type) || '-' || substr(id, 5) WHERE owner_user_id IS NULL;
CREATE UNIQUE INDEX notification_channels_slug ON notification_channels (workspace_id, slug)
  WHERE deleted_at IS NULL AND owner_user_id IS NULL;

-- Issues that files describe, by what they are called by there.
CREATE TABLE manifest_issues (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  slug TEXT NOT NULL,
  issue_id TEXT NOT NULL REFERENCES missions (id) ON DELETE CASCADE,
  PRIMARY KEY (workspace_id, slug)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX manifest_issues_issue ON manifest_issues (issue_id);
