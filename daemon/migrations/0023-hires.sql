-- Hired agents: they stay until `expires_at`; at `expired_at` one became a ghost, which keeps its history.
ALTER TABLE agents ADD COLUMN ephemeral INTEGER NOT NULL DEFAULT 0 CHECK (ephemeral IN (0, 1));
ALTER TABLE agents ADD COLUMN expires_at TEXT;
ALTER TABLE agents ADD COLUMN expired_at TEXT;
ALTER TABLE agents ADD COLUMN parent_lead_id TEXT;
-- A line for each time that it was hired.
ALTER TABLE agents ADD COLUMN hire_reason TEXT;
CREATE INDEX agents_hired ON agents (crew_id) WHERE ephemeral = 1 AND expired_at IS NULL AND deleted_at IS NULL;
CREATE INDEX agents_expiring ON agents (expires_at) WHERE ephemeral = 1 AND expired_at IS NULL AND deleted_at IS NULL;

-- The list's order: ghosts last.
DROP INDEX agents_newest;
CREATE INDEX agents_newest
  ON agents (workspace_id, (expired_at IS NOT NULL), coalesce(expired_at, created_at) DESC, id DESC)
  WHERE deleted_at IS NULL;
