-- Texts that many entries share, each known by a number. A workspace's own id stands under workspace 0.
CREATE TABLE journal_names (
  name INTEGER PRIMARY KEY,
  ws INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_names_text ON journal_names (ws, text);

-- Every combination of the filterable columns that occurs; 0 stands for none. `n` and `last` are as of the newest full block.
CREATE TABLE journal_combos (
  combo INTEGER PRIMARY KEY,
  ws INTEGER NOT NULL,
  crew INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  type INTEGER NOT NULL,
  severity INTEGER NOT NULL,
  actor_type INTEGER NOT NULL,
  n INTEGER NOT NULL DEFAULT 0,
  last INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX journal_combos_parts ON journal_combos (ws, crew, agent, type, severity, actor_type);

-- Entries of each combination in each full block of 16,384; a whole workspace counts under minus its number.
CREATE TABLE journal_blocks (
  combo INTEGER NOT NULL,
  block INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (combo, block)
) STRICT, WITHOUT ROWID;

-- Where the clock was set back: within an epoch `ts` never decreases.
CREATE TABLE journal_epochs (
  seq INTEGER PRIMARY KEY,
  ts INTEGER NOT NULL
) STRICT;

-- `seq` is the true order, `doc` the entry's exact JSON. Ids grow with `seq`. Filter columns hold numbers of journal_names.
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  ts INTEGER NOT NULL,
  ws INTEGER NOT NULL,
  combo INTEGER NOT NULL,
  crew INTEGER,
  agent INTEGER,
  type INTEGER NOT NULL,
  severity INTEGER NOT NULL,
  mission INTEGER,
  trace INTEGER,
  actor INTEGER,
  run INTEGER,
  priority INTEGER NOT NULL,
  doc TEXT NOT NULL,
  -- Only of an entry whose payload was erased: the hash that the chain was made with.
  payload_hash BLOB,
  prev_hash BLOB NOT NULL,
  entry_hash BLOB NOT NULL
) STRICT;
-- The rowid is the last key of every index: each one reads newest first from any cursor.
CREATE UNIQUE INDEX journal_id ON journal (id);
CREATE INDEX journal_ws ON journal (ws);
CREATE INDEX journal_combo ON journal (combo);
CREATE INDEX journal_crew ON journal (crew) WHERE crew IS NOT NULL;
CREATE INDEX journal_agent ON journal (agent) WHERE agent IS NOT NULL;
CREATE INDEX journal_type ON journal (type);
CREATE INDEX journal_mission ON journal (mission) WHERE mission IS NOT NULL;
CREATE INDEX journal_trace ON journal (trace) WHERE trace IS NOT NULL;
CREATE INDEX journal_actor ON journal (actor) WHERE actor IS NOT NULL;
CREATE INDEX journal_run ON journal (run) WHERE run IS NOT NULL;
CREATE INDEX journal_severity ON journal (ws, severity) WHERE severity >= 1;
CREATE INDEX journal_priority ON journal (ws, priority) WHERE priority >= 1;

-- Every change of a priority marker: the one member of an entry that may change.
CREATE TABLE journal_priorities (
  change INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL REFERENCES journal (seq),
  previous_priority TEXT NOT NULL,
  priority TEXT NOT NULL,
  reason TEXT NOT NULL,
  set_by TEXT NOT NULL,
  set_at TEXT NOT NULL
) STRICT;
CREATE INDEX journal_priorities_seq ON journal_priorities (seq);

-- A projection of the journal: one row for each trace with a `run.started`, whose seq it has.
CREATE TABLE runs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  crew_id TEXT,
  agent_id TEXT,
  mission_id TEXT,
  chat_id TEXT,
  triggered_by TEXT,
  trigger_type TEXT NOT NULL,
  status TEXT NOT NULL,
  started INTEGER NOT NULL,
  finished INTEGER,
  error_message TEXT,
  exit_code INTEGER,
  metadata TEXT NOT NULL,
  -- What clients print beside a run, the newest word winning: model, cli_version, ...
  details TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX runs_id ON runs (workspace_id, id);
CREATE INDEX runs_newest ON runs (workspace_id, started);
CREATE INDEX runs_status ON runs (workspace_id, status, started);
CREATE INDEX runs_trigger ON runs (workspace_id, trigger_type, started);
CREATE INDEX runs_agent ON runs (workspace_id, agent_id, started);
CREATE INDEX runs_failed ON runs (workspace_id, finished) WHERE status IN ('FAILED', 'TIMEOUT');

CREATE TABLE run_tags (
  workspace_id TEXT NOT NULL,
  tag TEXT NOT NULL,
  seq INTEGER NOT NULL REFERENCES runs (seq),
  PRIMARY KEY (workspace_id, tag, seq)
) STRICT, WITHOUT ROWID;
