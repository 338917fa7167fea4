import type { Role } from '#contract/roles'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  email: string
  role: Role
  invited_by: string
  created_at: string
  expires_at: string
}
const columns = 'id, workspace_id, email, role, invited_by, created_at, expires_at'
const prefixed = columns
  .split(', ')
  .map((name) => `i.${name}`)
  .join(', ')

export interface Shown extends Row {
  inviter_email: string
  inviter_name: string | null
}

export interface Own extends Shown {
  workspace_name: string
  workspace_slug: string
}

interface NewInvitation extends Row {
  token_hash: string
}

const shown = `${prefixed}, u.email AS inviter_email, u.full_name AS inviter_name`

export const queries = statements((db) => ({
  list: db.prepare<{ workspace: string; now: string; limit: number; offset: number }, Shown>(
    `SELECT ${shown} FROM workspace_invitations i JOIN users u ON u.id = i.invited_by
     WHERE i.workspace_id = @workspace AND i.status = 'live' AND i.expires_at > @now
     ORDER BY i.created_at DESC, i.rowid DESC LIMIT @limit OFFSET @offset`,
  ),
  /** To this address, into workspaces that are there. */
  mine: db.prepare<{ email: string; now: string; limit: number; offset: number }, Own>(
    `SELECT ${shown}, w.name AS workspace_name, w.slug AS workspace_slug
     FROM workspace_invitations i JOIN users u ON u.id = i.invited_by JOIN workspaces w ON w.id = i.workspace_id
     WHERE i.email = @email AND i.status = 'live' AND i.expires_at > @now AND w.deleted_at IS NULL
     ORDER BY i.created_at DESC, i.rowid DESC LIMIT @limit OFFSET @offset`,
  ),
  sender: db.prepare<[id: string], { email: string; full_name: string | null }>(
    'SELECT email, full_name FROM users WHERE id = ?',
  ),
  insert: db.prepare<NewInvitation, Row>(
    `INSERT INTO workspace_invitations (${columns}, token_hash)
     VALUES (@id, @workspace_id, @email, @role, @invited_by, @created_at, @expires_at, @token_hash)
     ON CONFLICT DO NOTHING RETURNING ${columns}`,
  ),
  /** Marks what ran out, so that it is in nobody's way. */
  expire: db.prepare<{ workspace: string; email: string; now: string }>(
    `UPDATE workspace_invitations SET status = 'expired', ended_at = @now
     WHERE workspace_id = @workspace AND email = @email AND status = 'live' AND expires_at <= @now`,
  ),
  /** Of two who accept at once, one gets the row. */
  takeById: db.prepare<{ id: string; email: string; status: 'accepted' | 'declined'; now: string }, Row>(
    `UPDATE workspace_invitations SET status = @status, ended_at = @now
     WHERE id = @id AND email = @email AND status = 'live' AND expires_at > @now RETURNING ${columns}`,
  ),
  takeByToken: db.prepare<{ hash: string; now: string }, Row>(
    `UPDATE workspace_invitations SET status = 'accepted', ended_at = @now
     WHERE token_hash = @hash AND status = 'live' AND expires_at > @now RETURNING ${columns}`,
  ),
  takeAll: db.prepare<{ email: string; now: string }, Row>(
    `UPDATE workspace_invitations SET status = 'accepted', ended_at = @now
     WHERE email = @email AND status = 'live' AND expires_at > @now RETURNING ${columns}`,
  ),
  settle: db.prepare<{ workspace: string; email: string; now: string }>(
    `UPDATE workspace_invitations SET status = 'accepted', ended_at = @now
      WHERE workspace_id = @workspace AND email = @email AND status = 'live'`,
  ),
  revoke: db.prepare<{ workspace: string; id: string; now: string }, Row>(
    `UPDATE workspace_invitations SET status = 'revoked', ended_at = @now
     WHERE workspace_id = @workspace AND id = @id AND status = 'live' AND expires_at > @now RETURNING ${columns}`,
  ),
  revokeBy: db.prepare<{ workspace: string; by: string; now: string }, Row>(
    `UPDATE workspace_invitations SET status = 'revoked', ended_at = @now
     WHERE workspace_id = @workspace AND invited_by = @by AND status = 'live' AND expires_at > @now
     RETURNING ${columns}`,
  ),
  revokeAll: db.prepare<{ workspace: string; now: string }>(
    `UPDATE workspace_invitations SET status = 'revoked', ended_at = @now
      WHERE workspace_id = @workspace AND status = 'live'`,
  ),
  forget: db.prepare<[before: string, most: number]>(
    'DELETE FROM workspace_invitations WHERE id IN (SELECT id FROM workspace_invitations WHERE expires_at < ? LIMIT ?)',
  ),
  memberAt: db.prepare<[email: string, workspace: string], { id: string }>(
    'SELECT m.id FROM users u JOIN workspace_members m ON m.user_id = u.id WHERE u.email = ? AND m.workspace_id = ?',
  ),
}))
