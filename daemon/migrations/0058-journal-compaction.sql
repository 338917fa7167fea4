-- Entries that left the journal: their immutable text and the hashes of what was erased, by which the chain still holds.
CREATE TABLE journal_husks (
  seq INTEGER PRIMARY KEY,
  ws INTEGER NOT NULL,
  scheme INTEGER NOT NULL,
  fixed TEXT NOT NULL,
  payload_hash BLOB,
  -- Of scheme 2 alone.
  summary_hash BLOB,
  entry_hash BLOB NOT NULL
) STRICT;
CREATE INDEX journal_husks_ws ON journal_husks (ws);

-- How many entries left the journal of each workspace.
CREATE TABLE journal_chains (
  ws INTEGER PRIMARY KEY,
  husks INTEGER NOT NULL
) STRICT;

-- What the search index, a database of its own, has to forget: lists of seq, in the order in which they were erased.
CREATE TABLE journal_erased (
  batch INTEGER PRIMARY KEY,
  seqs TEXT NOT NULL
) STRICT;

-- The entries of one day and type that are rolled up into one. `summary` is the seq of the entry that tells of them,
-- null while they are still being taken out.
CREATE TABLE journal_rollups (
  rollup INTEGER PRIMARY KEY,
  compaction INTEGER NOT NULL REFERENCES journal_compactions (compaction),
  ws INTEGER NOT NULL,
  type INTEGER NOT NULL,
  day TEXT NOT NULL,
  entries INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  first_ts INTEGER NOT NULL,
  last_ts INTEGER NOT NULL,
  summary INTEGER
) STRICT;
CREATE UNIQUE INDEX journal_rollups_open ON journal_rollups (ws, type, day) WHERE summary IS NULL;
CREATE INDEX journal_rollups_compaction ON journal_rollups (compaction);
CREATE INDEX journal_rollups_newest ON journal_rollups (ws, rollup);

-- A compaction of one workspace's journal: what is older than `cutoff` (milliseconds) and may be rolled up.
CREATE TABLE journal_compactions (
  compaction INTEGER PRIMARY KEY,
  ws INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  cutoff INTEGER NOT NULL,
  -- Null when it is the daily one.
  asked_by TEXT,
  entries INTEGER NOT NULL DEFAULT 0,
  rollups INTEGER NOT NULL DEFAULT 0,
  freed INTEGER NOT NULL DEFAULT 0,
  begun_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE UNIQUE INDEX journal_compactions_open ON journal_compactions (ws) WHERE ended_at IS NULL;
CREATE INDEX journal_compactions_newest ON journal_compactions (ws, compaction);

-- Days that entries are kept in full: null for 30, 0 for ever.
ALTER TABLE workspaces ADD COLUMN journal_retention_days INTEGER;
