-- How much a crew may do without asking.
ALTER TABLE crews ADD COLUMN autonomy_level TEXT NOT NULL DEFAULT 'guided';
ALTER TABLE crews ADD COLUMN behavior_mode TEXT NOT NULL DEFAULT 'warn';
ALTER TABLE crews ADD COLUMN policy_set_by TEXT;
ALTER TABLE crews ADD COLUMN policy_set_at TEXT;
ALTER TABLE crews ADD COLUMN policy_reason TEXT;

-- A question of an agent to people. `call_id` is the agent's call: asked again after a restart it is the same question.
CREATE TABLE escalations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT NOT NULL REFERENCES crews (id),
  from_agent_id TEXT NOT NULL REFERENCES agents (id),
  chat_id TEXT,
  run_id TEXT,
  call_id TEXT UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('TEXT', 'CREDENTIAL', 'LINK')),
  reason TEXT NOT NULL,
  context TEXT,
  metadata TEXT,
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'RESOLVED', 'EXPIRED', 'CANCELLED')),
  resolution TEXT,
  action TEXT,
  redirect_to TEXT,
  resolved_by TEXT,
  resolved_by_user_id TEXT,
  resolved_at TEXT,
  created_at TEXT NOT NULL,
  deadline_at TEXT NOT NULL,
  answer_deadline_at TEXT NOT NULL,
  agent_gave_up_at TEXT,
  credential_id TEXT
) STRICT;
CREATE INDEX escalations_crew ON escalations (crew_id, created_at, id);
CREATE INDEX escalations_status ON escalations (crew_id, status, created_at, id);
CREATE INDEX escalations_open ON escalations (answer_deadline_at) WHERE status = 'PENDING';
CREATE INDEX escalations_pending ON escalations (workspace_id) WHERE status = 'PENDING';

-- What was asked of people before it takes effect.
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  crew_id TEXT,
  agent_id TEXT,
  mission_id TEXT,
  requested_by TEXT,
  kind TEXT NOT NULL,
  reason TEXT NOT NULL,
  payload_json TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'timeout', 'cancelled')),
  decided_by TEXT,
  decided_at TEXT,
  decision_comment TEXT,
  timeout_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX approvals_status ON approvals (workspace_id, status, created_at, id);
CREATE INDEX approvals_newest ON approvals (workspace_id, created_at, id);
CREATE INDEX approvals_open ON approvals (timeout_at) WHERE status = 'pending';

-- A place where work waits for a decision; who holds the token and may decide can let it go on.
CREATE TABLE waitpoints (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  token_hash TEXT NOT NULL UNIQUE,
  run_id TEXT,
  step_id TEXT,
  kind TEXT NOT NULL,
  prompt TEXT NOT NULL,
  invoking_crew_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'timed_out', 'cancelled')),
  timeout_at TEXT NOT NULL,
  decided_by TEXT,
  decided_at TEXT,
  comment TEXT,
  payload_json TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX waitpoints_open ON waitpoints (workspace_id, created_at, id) WHERE status = 'pending';
CREATE INDEX waitpoints_timeout ON waitpoints (timeout_at) WHERE status = 'pending';

-- What people should see or decide. `audience`: all, user:<id> or role:<ROLE>, which means that role and those above.
CREATE TABLE inbox_items (
  seq INTEGER PRIMARY KEY,
  -- ibx_<kind>_<source_id>: unique within the workspace.
  id TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  audience TEXT NOT NULL,
  title TEXT NOT NULL,
  body_md TEXT,
  priority TEXT NOT NULL CHECK (priority IN ('urgent', 'high', 'medium', 'low')),
  blocking INTEGER NOT NULL,
  sender_type TEXT,
  sender_id TEXT,
  sender_name TEXT,
  payload_json TEXT,
  thread_key TEXT,
  attention_class TEXT,
  actions_json TEXT,
  -- The first who read it, for older clients.
  read_at TEXT,
  read_by_user_id TEXT,
  resolved_at TEXT,
  resolved_by_user_id TEXT,
  resolved_action TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX inbox_items_id ON inbox_items (workspace_id, id);
CREATE INDEX inbox_items_newest ON inbox_items (workspace_id, audience, created_at, id);
CREATE INDEX inbox_items_active ON inbox_items (workspace_id, audience, created_at, id) WHERE resolved_at IS NULL;
CREATE INDEX inbox_items_thread ON inbox_items (workspace_id, thread_key) WHERE thread_key IS NOT NULL AND resolved_at IS NULL;

CREATE TABLE inbox_item_reads (
  item INTEGER NOT NULL REFERENCES inbox_items (seq),
  user_id TEXT NOT NULL REFERENCES users (id),
  read_at TEXT NOT NULL,
  PRIMARY KEY (item, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_item_reads_user ON inbox_item_reads (user_id);

-- Counts of unresolved items, and of those among them that a user has read: kept by the triggers below, so that counting
-- costs the same however many items there are.
CREATE TABLE inbox_counts (
  workspace_id TEXT NOT NULL,
  audience TEXT NOT NULL,
  kind TEXT NOT NULL,
  blocking INTEGER NOT NULL,
  active INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, audience, kind, blocking)
) STRICT, WITHOUT ROWID;
CREATE TABLE inbox_read_counts (
  user_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  audience TEXT NOT NULL,
  active INTEGER NOT NULL,
  PRIMARY KEY (user_id, workspace_id, audience)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER inbox_items_added AFTER INSERT ON inbox_items WHEN NEW.resolved_at IS NULL BEGIN
  INSERT INTO inbox_counts VALUES (NEW.workspace_id, NEW.audience, NEW.kind, NEW.blocking, 1)
    ON CONFLICT DO UPDATE SET active = active + 1;
END;
CREATE TRIGGER inbox_items_changed AFTER UPDATE OF resolved_at, audience, blocking ON inbox_items BEGIN
  UPDATE inbox_counts SET active = active - 1
    WHERE OLD.resolved_at IS NULL AND workspace_id = OLD.workspace_id AND audience = OLD.audience AND kind = OLD.kind AND blocking = OLD.blocking;
  INSERT INTO inbox_counts SELECT NEW.workspace_id, NEW.audience, NEW.kind, NEW.blocking, 1 WHERE NEW.resolved_at IS NULL
    ON CONFLICT DO UPDATE SET active = active + 1;
  UPDATE inbox_read_counts SET active = active - 1
    WHERE OLD.resolved_at IS NULL AND workspace_id = OLD.workspace_id AND audience = OLD.audience
      AND user_id IN (SELECT user_id FROM inbox_item_reads WHERE item = OLD.seq);
  INSERT INTO inbox_read_counts SELECT user_id, NEW.workspace_id, NEW.audience, 1 FROM inbox_item_reads WHERE item = NEW.seq AND NEW.resolved_at IS NULL
    ON CONFLICT DO UPDATE SET active = active + 1;
END;
CREATE TRIGGER inbox_items_removed BEFORE DELETE ON inbox_items BEGIN
  DELETE FROM inbox_item_reads WHERE item = OLD.seq;
  UPDATE inbox_counts SET active = active - 1
    WHERE OLD.resolved_at IS NULL AND workspace_id = OLD.workspace_id AND audience = OLD.audience AND kind = OLD.kind AND blocking = OLD.blocking;
END;
CREATE TRIGGER inbox_item_reads_added AFTER INSERT ON inbox_item_reads BEGIN
  INSERT INTO inbox_read_counts SELECT NEW.user_id, workspace_id, audience, 1 FROM inbox_items WHERE seq = NEW.item AND resolved_at IS NULL
    ON CONFLICT DO UPDATE SET active = active + 1;
END;
CREATE TRIGGER inbox_item_reads_removed AFTER DELETE ON inbox_item_reads BEGIN
  UPDATE inbox_read_counts SET active = active - 1
    WHERE user_id = OLD.user_id AND EXISTS (SELECT 1 FROM inbox_items i WHERE i.seq = OLD.item AND i.resolved_at IS NULL
      AND inbox_read_counts.workspace_id = i.workspace_id AND inbox_read_counts.audience = i.audience);
END;
