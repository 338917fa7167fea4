-- The place of each message in the index of words: higher is newer. Numbers begin in the middle, so that messages older
-- than the index get lower ones.
CREATE TABLE message_numbers (
  number INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL
) STRICT;

-- `scope` holds the ids of the workspace and the agent. No text is stored twice.
CREATE VIRTUAL TABLE message_words USING fts5 (
  content, tool_summary, scope, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- Messages up to this rowid are still to be indexed; 0 when all are.
CREATE TABLE message_backlog (one INTEGER PRIMARY KEY CHECK (one = 1), upto INTEGER NOT NULL) STRICT;
INSERT INTO message_backlog SELECT 1, coalesce(max(rowid), 0) FROM chat_messages;

-- A text that is gone, or is another one now, is found by no word of it from the same commit on.
CREATE TRIGGER message_words_deleted AFTER DELETE ON chat_messages BEGIN
  DELETE FROM message_words WHERE rowid = (SELECT number FROM message_numbers WHERE message_id = old.id);
  DELETE FROM message_numbers WHERE message_id = old.id;
END;
CREATE TRIGGER message_words_changed AFTER UPDATE OF content, tool_summary ON chat_messages BEGIN
  DELETE FROM message_words WHERE rowid = (SELECT number FROM message_numbers WHERE message_id = old.id);
  DELETE FROM message_numbers WHERE message_id = old.id;
END;
