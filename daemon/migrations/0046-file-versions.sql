-- What files of agents were when a run had ended, or a person had saved them: by these, lines are traced back.
CREATE TABLE file_versions (
  id INTEGER PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  crew_id TEXT NOT NULL,
  -- As agents see it, from the root.
  path TEXT NOT NULL,
  -- Milliseconds since 1970.
  at INTEGER NOT NULL,
  -- One of both: the run that left it so, or the person who saved it.
  run_id TEXT,
  user_id TEXT,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  -- 0 where another run may have written it instead.
  certain INTEGER NOT NULL,
  -- 1 where the file was not there before.
  made INTEGER NOT NULL,
  -- The text without secrets, raw deflate; null for what is no text, or too large. `bytes` is how much it takes here.
  text BLOB,
  bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX file_versions_path ON file_versions (crew_id, path, id);
CREATE INDEX file_versions_room ON file_versions (crew_id, id, bytes);

-- The runs of a crew that had a program in a time.
CREATE INDEX runs_crew_ended ON runs (crew_id, ended_at) WHERE launch_json IS NOT NULL;
