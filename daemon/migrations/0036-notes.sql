-- What a running agent is to be told at its next step. Notes go with the end of their run.
CREATE TABLE notes (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  kind TEXT NOT NULL CHECK (kind IN ('steer', 'collision')),
  text TEXT NOT NULL,
  -- The message of the run's chat that the note tells of.
  message_id TEXT,
  -- Milliseconds since 1970, like the other times.
  created_at INTEGER NOT NULL,
  -- The call of the agent that was answered with it last; it may not have got the answer.
  handed_to TEXT,
  handed_at INTEGER,
  -- When the agent said that it got it.
  taken_at INTEGER
) STRICT;
CREATE INDEX notes_run ON notes (run_id);
