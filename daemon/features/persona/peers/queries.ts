import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  user_id: string
  content: string
  created_at: string
  updated_at: string
}

const columns = 'id, user_id, content, created_at, updated_at'

export const queries = statements((db) => ({
  list: db.prepare<[agent: string], Row>(
    `SELECT ${columns} FROM peer_cards WHERE agent_id = ? ORDER BY created_at, id`,
  ),
  find: db.prepare<[agent: string, user: string], Row>(
    `SELECT ${columns} FROM peer_cards WHERE agent_id = ? AND user_id = ?`,
  ),
  remove: db.prepare<[agent: string, user: string], { id: string }>(
    'DELETE FROM peer_cards WHERE agent_id = ? AND user_id = ? RETURNING id',
  ),
  forget: db.prepare<[workspace: string, user: string]>(
    'DELETE FROM peer_cards WHERE workspace_id = ? AND user_id = ?',
  ),
}))
