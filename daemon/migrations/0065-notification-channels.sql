-- Where notifications are sent to, beside the feed.
CREATE TABLE notification_channels (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  -- Null: a channel of the workspace.
  owner_user_id TEXT REFERENCES users (id),
  type TEXT NOT NULL CHECK (type IN ('email', 'webhook', 'shoutrrr')),
  provider TEXT,
  -- Of a webhook.
  url TEXT,
  -- Of mail.
  address TEXT,
  -- What signs a webhook, or the service URL of a provider.
  secret_enc TEXT,
  events_json TEXT NOT NULL,
  categories_json TEXT NOT NULL,
  min_priority TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_by TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE INDEX notification_channels_workspace ON notification_channels (workspace_id, created_at)
  WHERE deleted_at IS NULL;
CREATE INDEX notification_channels_owner ON notification_channels (owner_user_id, workspace_id)
  WHERE owner_user_id IS NOT NULL;

-- Which agents may send through a channel.
CREATE TABLE notification_channel_agents (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  channel_id TEXT NOT NULL REFERENCES notification_channels (id),
  agent_id TEXT NOT NULL REFERENCES agents (id),
  granted_by TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (channel_id, agent_id)
) STRICT;
CREATE INDEX notification_channel_agents_agent ON notification_channel_agents (agent_id);

-- Services that somebody switched; the others are allowed.
CREATE TABLE notification_providers (
  provider TEXT PRIMARY KEY,
  enabled INTEGER NOT NULL
) STRICT;
