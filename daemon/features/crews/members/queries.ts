import type { Role } from '#contract/roles'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  crew_id: string
  user_id: string
  role: Role | null
  created_at: string
  email: string
  full_name: string | null
  avatar_url: string | null
}

const select = `SELECT m.id, m.crew_id, m.user_id, m.role, m.created_at, u.email, u.full_name, u.avatar_url
  FROM crew_members m JOIN users u ON u.id = m.user_id`

export const queries = statements((db) => ({
  list: db.prepare<[crew: string, limit: number, offset: number], Row>(
    `${select} WHERE m.crew_id = ? ORDER BY m.created_at, m.rowid LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[crew: string, id: string], Row>(`${select} WHERE m.crew_id = ? AND m.id = ?`),
  insert: db.prepare<{ id: string; crew: string; user: string; role: Role | null; now: string }, { id: string }>(
    `INSERT INTO crew_members (id, crew_id, user_id, role, created_at, updated_at)
     VALUES (@id, @crew, @user, @role, @now, @now) ON CONFLICT DO NOTHING RETURNING id`,
  ),
  setRole: db.prepare<[role: Role | null, now: string, id: string]>(
    'UPDATE crew_members SET role = ?, updated_at = ? WHERE id = ?',
  ),
  remove: db.prepare<[id: string]>('DELETE FROM crew_members WHERE id = ?'),
  removeAll: db.prepare<[crew: string]>('DELETE FROM crew_members WHERE crew_id = ?'),
  removeUser: db.prepare<[user: string, workspace: string]>(
    `DELETE FROM crew_members WHERE user_id = ? AND EXISTS (SELECT 1 FROM crews c
     WHERE c.id = crew_members.crew_id AND c.workspace_id = ?)`,
  ),
}))
