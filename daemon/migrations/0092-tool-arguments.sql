-- Whether entries of calls of MCP tools show the arguments: 1, they do.
ALTER TABLE workspaces ADD COLUMN journal_tool_arguments INTEGER NOT NULL DEFAULT 0;
