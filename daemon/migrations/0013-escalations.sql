-- Whether who created an agent may decide about the secrets that it offers: 1, somebody else must.
ALTER TABLE workspaces ADD COLUMN require_second_approver INTEGER NOT NULL DEFAULT 0;

CREATE INDEX escalations_asked ON escalations (from_agent_id) WHERE status = 'PENDING';
