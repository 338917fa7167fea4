import { statements } from '../store/db.ts'

export const queries = statements((db) => ({
  /** A user's workspaces: the home workspace, then alternately the oldest owned by others and the oldest owned. */
  audience: db.prepare<[user: string, limit: number], { workspace_id: string }>(
    `SELECT m.workspace_id FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND w.deleted_at IS NULL
     ORDER BY w.home DESC, row_number() OVER (PARTITION BY m.role = 'OWNER'
     ORDER BY m.rowid), m.role = 'OWNER' LIMIT ?`,
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = { audience: 'scans the memberships of one user' }
