-- A verification that was interrupted: how far it came, with a MAC by which only this installation can have written it.
CREATE TABLE journal_verifications (
  workspace_id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  mac TEXT NOT NULL
) STRICT, WITHOUT ROWID;
