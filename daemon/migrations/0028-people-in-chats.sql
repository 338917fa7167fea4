CREATE TABLE message_reactions (
  chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL REFERENCES chat_messages (id) ON DELETE CASCADE,
  emoji TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (message_id, emoji, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_reactions_chat ON message_reactions (chat_id);
CREATE INDEX message_reactions_user ON message_reactions (user_id);

-- People of a group chat. Whoever opened the chat is one of them from the first addition on.
CREATE TABLE chat_participants (
  chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  joined_at TEXT NOT NULL,
  PRIMARY KEY (chat_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX chat_participants_user ON chat_participants (user_id);

-- What a message that was sent under a key of the client's own was answered with, so that sending it again changes
-- nothing.
CREATE TABLE chat_sends (
  chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL,
  -- SHA-256 of what was sent.
  digest TEXT NOT NULL,
  reply_json TEXT NOT NULL,
  -- Milliseconds since 1970.
  sent_at INTEGER NOT NULL,
  PRIMARY KEY (chat_id, user_id, client_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX chat_sends_user ON chat_sends (user_id);
CREATE INDEX chat_sends_age ON chat_sends (sent_at);
