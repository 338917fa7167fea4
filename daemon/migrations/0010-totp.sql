-- The secret of a user's authenticator app. At most two of a user: the one in use, and one that waits for its first code.
CREATE TABLE totp_secrets (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  secret TEXT NOT NULL,
  confirmed INTEGER NOT NULL DEFAULT 0,
  -- The time step of the last code that was taken: neither it nor an earlier one is taken again.
  last_step INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX totp_secrets_user ON totp_secrets (user_id, confirmed);

-- Codes that stand in for the app, each once: burned by deletion. Only their HMAC is stored.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id),
  code_hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;
