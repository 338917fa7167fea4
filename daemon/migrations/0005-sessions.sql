ALTER TABLE users ADD COLUMN email_verified_at TEXT;
ALTER TABLE users ADD COLUMN onboarding_completed INTEGER NOT NULL DEFAULT 0;
-- Wrong passwords in a row; past the threshold the account is locked until the time given.
ALTER TABLE users ADD COLUMN failed_login_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN last_failed_login_at TEXT;
ALTER TABLE users ADD COLUMN locked_until TEXT;
-- Since when a second factor is asked for; null when it is not.
ALTER TABLE users ADD COLUMN two_factor_at TEXT;

-- 1: only members who have a second factor may enter.
ALTER TABLE workspaces ADD COLUMN require_two_factor INTEGER NOT NULL DEFAULT 0;

-- A browser that is signed in. The refresh cookie names `current_refresh_jti`; the one before it holds for a few seconds more.
CREATE TABLE user_sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT,
  revoked_reason TEXT,
  user_agent TEXT,
  ip TEXT,
  current_refresh_jti TEXT NOT NULL,
  previous_refresh_jti TEXT,
  rotated_at TEXT,
  -- When the second factor was last shown.
  factor_at TEXT
) STRICT;
CREATE INDEX user_sessions_user ON user_sessions (user_id, last_used_at);
CREATE INDEX user_sessions_expires ON user_sessions (expires_at);

-- Tokens that travel by mail: password resets and the set-up of accounts that others made. Burned by deletion.
CREATE TABLE verification_tokens (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  token_hash TEXT NOT NULL UNIQUE,
  purpose TEXT NOT NULL CHECK (purpose IN ('password_reset', 'account_setup')),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX verification_tokens_user ON verification_tokens (user_id, purpose);
CREATE INDEX verification_tokens_expires ON verification_tokens (expires_at);
