import { statements } from '../store/db.ts'

export const queries = statements((db) => ({
  /**
   * Live workspaces: the server's first one, then by turns the oldest of those that belong to others and of one's own.
   */
  audience: db.prepare<[user: string, limit: number], { workspace_id: string }>(
    `SELECT m.workspace_id FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND w.deleted_at IS NULL
     ORDER BY w.home DESC, row_number() OVER (PARTITION BY m.role = 'OWNER'
     ORDER BY m.rowid), m.role = 'OWNER' LIMIT ?`,
  ),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { audience: 'goes over the memberships of one user' }
