-- Tools of MCP servers: what people let agents use, and what the server has said since.
CREATE TABLE mcp_tools (
  id TEXT PRIMARY KEY,
  server_id TEXT NOT NULL REFERENCES mcp_servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- What people wrote in the place of its description.
  note TEXT,
  -- What agents are told of it; NULL: nobody has let them use it yet.
  approved_json TEXT,
  -- What the server says of it, where that is another thing.
  told_json TEXT,
  -- SHA-256 of these two.
  approved_hash TEXT,
  told_hash TEXT,
  enabled INTEGER NOT NULL,
  -- Since when it waits for people, and why.
  held_since TEXT,
  held_for TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX mcp_tools_name ON mcp_tools (server_id, name);

-- How the list of each server was read.
CREATE TABLE mcp_tool_lists (
  server_id TEXT PRIMARY KEY REFERENCES mcp_servers (id) ON DELETE CASCADE,
  -- When the server was asked last, and when it last answered with a list.
  tried_at TEXT,
  listed_at TEXT,
  -- Why it gave none.
  failure TEXT,
  -- Tools of the list that cannot be used: their names or sizes are not allowed.
  left_out INTEGER NOT NULL,
  -- What people are asked about the tools that wait.
  decision_id TEXT
) STRICT;
CREATE UNIQUE INDEX mcp_tool_lists_decision ON mcp_tool_lists (decision_id);
