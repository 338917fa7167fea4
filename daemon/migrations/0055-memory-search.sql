-- Memory files in parts of some lines each, by which they are searched. `scope` holds the ids of workspace and owner.
CREATE TABLE memory_chunks (
  number INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES memory_files (number) ON DELETE CASCADE,
  -- The line of the file that it begins with, from 1.
  line INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX memory_chunks_file ON memory_chunks (file, line);

CREATE VIRTUAL TABLE memory_words USING fts5 (
  text, scope, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- What is gone is found by no word of it from the same commit on.
CREATE TRIGGER memory_words_deleted AFTER DELETE ON memory_chunks BEGIN
  DELETE FROM memory_words WHERE rowid = old.number;
END;
