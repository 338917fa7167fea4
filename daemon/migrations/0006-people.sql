-- An invitation waits for an address. Only the SHA-256 of its token is stored.
CREATE TABLE workspace_invitations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  invited_by TEXT NOT NULL REFERENCES users (id),
  token_hash TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL DEFAULT 'live' CHECK (status IN ('live', 'accepted', 'declined', 'revoked', 'expired')),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
-- One that ran out is marked before the next one for its address is made.
CREATE UNIQUE INDEX workspace_invitations_live ON workspace_invitations (workspace_id, email) WHERE status = 'live';
CREATE INDEX workspace_invitations_email ON workspace_invitations (email) WHERE status = 'live';
CREATE INDEX workspace_invitations_workspace ON workspace_invitations (workspace_id, created_at) WHERE status = 'live';

CREATE INDEX workspace_invitations_expires ON workspace_invitations (expires_at);

CREATE INDEX workspace_members_owners ON workspace_members (workspace_id) WHERE role = 'OWNER';
-- Deleted ones too: their records are kept as long as the others.
CREATE INDEX credentials_of_workspace ON credentials (workspace_id);
DROP INDEX credential_audit_credential;
CREATE INDEX credential_audit_credential ON credential_audit (credential_id, created_at);

-- Who handed the link to an account over; null for what was mailed to its owner.
ALTER TABLE verification_tokens ADD COLUMN issued_by TEXT REFERENCES users (id);
CREATE INDEX verification_tokens_issued ON verification_tokens (issued_by) WHERE issued_by IS NOT NULL;
