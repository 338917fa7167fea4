-- How the tokens of a credential of type OAUTH2 are had, and renewed.
CREATE TABLE oauth_clients (
  credential_id TEXT PRIMARY KEY REFERENCES credentials (id),
  -- NULL: nobody said who it is, so what it says of itself cannot be compared.
  issuer TEXT,
  auth_url TEXT,
  token_url TEXT,
  -- Where more clients can be registered; NULL: this one was given by people.
  registration_url TEXT,
  client_id TEXT,
  client_secret_sealed TEXT,
  auth_method TEXT,
  -- The address that a registered client comes back to; NULL: any that was arranged with the server.
  redirect_uri TEXT,
  scopes TEXT NOT NULL,
  -- What the tokens are for; NULL: the servers at the addresses above.
  resource TEXT,
  -- 1: the server is told what they are for.
  indicated INTEGER NOT NULL,
  -- 1: its answers always say who it is.
  names_itself INTEGER NOT NULL,
  refresh_sealed TEXT,
  -- Counts the tokens that were stored: of two that come at the same time, the second one is dropped.
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The credential with which all who may use a server use it, unless they are bound with one of their own.
CREATE TABLE connected_servers (
  server_id TEXT PRIMARY KEY REFERENCES mcp_servers (id) ON DELETE CASCADE,
  credential_id TEXT NOT NULL REFERENCES credentials (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX connected_servers_credential ON connected_servers (credential_id);
