-- What each program of a run was started with, as far as a receipt tells of it. Hashes are SHA-256, in hexadecimal.
CREATE TABLE run_programs (
  run_id TEXT NOT NULL REFERENCES runs (id),
  attempt INTEGER NOT NULL,
  -- Milliseconds since 1970, before the program could write anything.
  started_at INTEGER NOT NULL,
  adapter TEXT NOT NULL,
  provider TEXT,
  model TEXT,
  prompt_hash TEXT NOT NULL,
  instructions_hash TEXT NOT NULL,
  -- The image of the crew's container, by its name and by the engine's id; null where there is none, or it is unknown.
  image TEXT,
  image_id TEXT,
  PRIMARY KEY (run_id, attempt)
) STRICT, WITHOUT ROWID;

-- What was found right after a run's end: what it had said (JSON of hashes), and which files had changed (JSON).
CREATE TABLE run_remains (
  run_id TEXT PRIMARY KEY REFERENCES runs (id),
  said_json TEXT NOT NULL,
  files_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Public keys with which receipts were ever signed here.
CREATE TABLE receipt_keys (
  keyid TEXT PRIMARY KEY,
  public_key TEXT NOT NULL,
  added_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX decisions_run ON decisions (run_id) WHERE run_id IS NOT NULL;
