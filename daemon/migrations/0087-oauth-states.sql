-- Sign-ins that have begun.
CREATE TABLE oauth_states (
  state_hash TEXT PRIMARY KEY,
  credential_id TEXT NOT NULL REFERENCES credentials (id),
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  user_id TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  -- The PKCE verifier, and the client that asks.
  sealed TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX oauth_states_credential ON oauth_states (credential_id, user_id, expires_at);
CREATE INDEX oauth_states_expires ON oauth_states (expires_at);
CREATE INDEX oauth_states_user ON oauth_states (user_id, expires_at);
