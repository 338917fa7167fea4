-- Skills that agents write. Null for what was made of a rule that a crew learned.
ALTER TABLE proposed_skills ADD COLUMN agent_id TEXT REFERENCES agents (id);
-- Why the agent wrote it.
ALTER TABLE proposed_skills ADD COLUMN reason TEXT;
CREATE INDEX proposed_skills_agent ON proposed_skills (agent_id) WHERE agent_id IS NOT NULL;
