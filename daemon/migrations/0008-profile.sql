-- The bytes of an uploaded picture, as they came.
CREATE TABLE user_avatars (
  user_id TEXT PRIMARY KEY REFERENCES users (id),
  media_type TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
  bytes BLOB NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- What a person's clients remember for them; any JSON.
CREATE TABLE user_preferences (
  user_id TEXT NOT NULL REFERENCES users (id),
  key TEXT NOT NULL,
  value_json TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT;

-- What a person was invited to, and whom they invited, ended ones included.
CREATE INDEX workspace_invitations_to ON workspace_invitations (email, created_at);
CREATE INDEX workspace_invitations_by ON workspace_invitations (invited_by, created_at);
