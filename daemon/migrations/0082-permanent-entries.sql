-- Journal entries that somebody gave the priority `permanent` and that no model has read since.
CREATE TABLE memory_permanents (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  entry_id TEXT NOT NULL UNIQUE,
  crew_id TEXT NOT NULL REFERENCES crews (id),
  -- 1: a run was begun for it, which may have got no answer.
  begun INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX memory_permanents_crew ON memory_permanents (crew_id, begun);
