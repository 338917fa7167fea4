-- What a workspace has said about its memory, as it was given.
CREATE TABLE memory_configs (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id),
  config_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
