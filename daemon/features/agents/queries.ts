import { statements } from '#kernel/db'

export const queries = statements((db) => ({
  ofCrew: db.prepare<[crew: string], { id: string; slug: string }>('SELECT id, slug FROM agents WHERE crew_id = ? AND deleted_at IS NULL'),
  remove: db.prepare<[at: string, at: string, id: string]>('UPDATE agents SET deleted_at = ?, updated_at = ? WHERE id = ?'),
  unassign: db.prepare<[agent: string]>('DELETE FROM agent_credentials WHERE agent_id = ?'),
}))
