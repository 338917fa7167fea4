-- Whom an account at the identity provider stands for here. `provider` is the provider's issuer: another one's accounts are others.
CREATE TABLE linked_accounts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  provider TEXT NOT NULL,
  provider_account_id TEXT NOT NULL,
  -- The address there, when it was last told.
  email TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX linked_accounts_account ON linked_accounts (provider, provider_account_id);
CREATE INDEX linked_accounts_user ON linked_accounts (user_id, created_at);

-- A sign-in that was begun, by the SHA-256 of its state; burned by deletion. `browser_hash` is that of the cookie of whoever began.
CREATE TABLE idp_states (
  state_hash TEXT PRIMARY KEY,
  browser_hash TEXT NOT NULL,
  redirect TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX idp_states_expires ON idp_states (expires_at);
