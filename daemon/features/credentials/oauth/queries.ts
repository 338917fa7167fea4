import { statements } from '#kernel/store/db'

export interface ClientRow {
  credential_id: string
  issuer: string | null
  auth_url: string | null
  token_url: string | null
  registration_url: string | null
  client_id: string | null
  client_secret_sealed: string | null
  auth_method: string | null
  redirect_uri: string | null
  scopes: string
  resource: string | null
  indicated: number
  names_itself: number
  refresh_sealed: string | null
  version: number
}

export interface Due {
  id: string
  workspace_id: string
  token_expires_at: string | null
  renewable: number
}

const columns =
  'credential_id, issuer, auth_url, token_url, registration_url, client_id, client_secret_sealed, auth_method, ' +
  'redirect_uri, scopes, resource, indicated, names_itself, refresh_sealed, version'
const members = columns
  .split(', ')
  .map((column) => `@${column}`)
  .join(', ')

export const queries = statements((db) => ({
  find: db.prepare<[credential: string], ClientRow>(`SELECT ${columns} FROM oauth_clients WHERE credential_id = ?`),
  ofResource: db
    .prepare<{ workspace: string; resource: string }, string>(
      `SELECT c.id FROM credentials c JOIN oauth_clients o ON o.credential_id = c.id
       WHERE c.workspace_id = @workspace AND c.deleted_at IS NULL AND c.scope = 'WORKSPACE' AND o.resource = @resource
       ORDER BY c.created_at DESC, c.id DESC LIMIT 1`,
    )
    .pluck(),
  insert: db.prepare<[ClientRow]>(`INSERT INTO oauth_clients (${columns}) VALUES (${members})`),
  /** No row when other tokens were stored since `version` was read. */
  renew: db.prepare<[ClientRow], { credential_id: string }>(
    `UPDATE oauth_clients SET issuer = @issuer, auth_url = @auth_url, token_url = @token_url,
      registration_url = @registration_url, client_id = @client_id, client_secret_sealed = @client_secret_sealed,
      auth_method = @auth_method, redirect_uri = @redirect_uri, scopes = @scopes, resource = @resource,
      indicated = @indicated, names_itself = @names_itself, refresh_sealed = @refresh_sealed, version = version + 1
     WHERE credential_id = @credential_id AND version = @version RETURNING credential_id`,
  ),
  remove: db.prepare<[credential: string]>('DELETE FROM oauth_clients WHERE credential_id = ?'),
  insertCredential: db.prepare<
    { id: string; workspace: string; name: string; description: string; user: string; now: string },
    { id: string }
  >(
    `INSERT INTO credentials (id, workspace_id, name, type, provider, description, scope, tags_json, encrypted_value,
      status, created_by, created_at, updated_at)
     VALUES (@id, @workspace, @name, 'OAUTH2', 'NONE', @description, 'WORKSPACE', '[]', NULL, 'PENDING', @user, @now,
      @now)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  setToken: db.prepare<{ id: string; sealed: string; until: string | null; now: string }, { name: string }>(
    `UPDATE credentials SET encrypted_value = @sealed, status = 'ACTIVE', last_error = NULL, cooldown_until = NULL,
      token_expires_at = @until, updated_at = @now WHERE id = @id AND deleted_at IS NULL RETURNING name`,
  ),
  /** No row when it was over already. */
  expire: db.prepare<
    { id: string; reason: string; now: string },
    { name: string; workspace_id: string; created_by: string | null }
  >(
    `UPDATE credentials SET status = 'EXPIRED', last_error = @reason, updated_at = @now
     WHERE id = @id AND status = 'ACTIVE' AND deleted_at IS NULL RETURNING name, workspace_id, created_by`,
  ),
  ends: db.prepare<{ id: string; before: string }, { id: string }>(
    `SELECT c.id FROM credentials c JOIN oauth_clients o ON o.credential_id = c.id
     WHERE c.id = @id AND c.deleted_at IS NULL AND c.token_expires_at <= @before AND c.status = 'ACTIVE'`,
  ),
  /** Those that end before then, the first one first. */
  due: db.prepare<{ before: string; most: number }, Due>(
    `SELECT c.id, c.workspace_id, c.token_expires_at, o.refresh_sealed IS NOT NULL AS renewable
     FROM credentials c JOIN oauth_clients o ON o.credential_id = c.id
     WHERE c.deleted_at IS NULL AND c.token_expires_at <= @before AND c.status = 'ACTIVE' AND c.type = 'OAUTH2'
     ORDER BY c.token_expires_at LIMIT @most`,
  ),
}))
