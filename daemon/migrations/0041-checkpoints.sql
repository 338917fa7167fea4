-- Points of a mission's past, to look back at, to begin anew from, and to put a crew's files back to.
CREATE TABLE checkpoints (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  mission_id TEXT NOT NULL REFERENCES missions (id) ON DELETE CASCADE,
  label TEXT,
  -- The newest entry of the mission then.
  journal_cursor TEXT NOT NULL,
  -- agent_memory, pending_tasks, open_assignments, crew_container_id.
  state_json TEXT NOT NULL,
  -- The mark of the crew's files, as the store of marks names it. A fork has that of its origin.
  mark_id TEXT NOT NULL,
  -- `none`: this server marks no files.
  mark_state TEXT NOT NULL CHECK (mark_state IN ('none', 'marking', 'marked', 'failed')),
  -- What is known of the mark: counts, what was left out, why it failed.
  mark_json TEXT,
  fork_of TEXT REFERENCES checkpoints (id) ON DELETE SET NULL,
  -- The rewind before which Muster made it by itself.
  rewind_id TEXT,
  created_by TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX checkpoints_mission ON checkpoints (mission_id, created_at);
CREATE INDEX checkpoints_crew ON checkpoints (crew_id, created_at);
CREATE INDEX checkpoints_marking ON checkpoints (crew_id) WHERE mark_state = 'marking';
CREATE INDEX checkpoints_fork ON checkpoints (fork_of) WHERE fork_of IS NOT NULL;

-- Crews whose files are being put back: no run of theirs begins as long as one is open.
CREATE TABLE rewinds (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  -- What the files are put back to, and what they were before.
  checkpoint_id TEXT NOT NULL,
  mark_id TEXT NOT NULL,
  before_id TEXT NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('marking', 'restoring', 'done', 'failed')),
  -- What was put back, or why nothing was.
  outcome_json TEXT,
  asked_by TEXT,
  created_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE UNIQUE INDEX rewinds_open ON rewinds (crew_id) WHERE ended_at IS NULL;
