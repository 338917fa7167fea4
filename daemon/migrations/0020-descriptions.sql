-- What describes agents and crews to people.
ALTER TABLE agents ADD COLUMN memory_enabled INTEGER NOT NULL DEFAULT 0 CHECK (memory_enabled IN (0, 1));
ALTER TABLE agents ADD COLUMN suggested_prompts TEXT;
ALTER TABLE agents ADD COLUMN ask_forms TEXT;
ALTER TABLE crews ADD COLUMN avatar_style TEXT;
ALTER TABLE crews ADD COLUMN issue_prefix TEXT;
ALTER TABLE crews ADD COLUMN max_ephemeral_agents INTEGER NOT NULL DEFAULT 10;

-- Drawn by clients from seed and style; a row is gone when one of these changes.
CREATE TABLE agent_avatars (
  agent_id TEXT PRIMARY KEY REFERENCES agents (id),
  svg TEXT NOT NULL,
  -- 16 hexadecimal digits of its SHA-256.
  version TEXT NOT NULL
) STRICT, WITHOUT ROWID;
