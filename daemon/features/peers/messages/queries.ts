import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  from_crew_id: string
  from_crew_slug: string
  to_crew_id: string
  to_crew_slug: string
  from_agent_slug: string
  from_agent_name: string
  run_id: string | null
  body: string
  created_at: string
}

interface NewRow {
  id: string
  workspace_id: string
  from_crew_id: string
  to_crew_id: string
  from_agent_id: string
  run_id: string | null
  body: string
  created_at: string
}

const select = `SELECT m.id, m.from_crew_id, f.slug AS from_crew_slug, m.to_crew_id, t.slug AS to_crew_slug,
    a.slug AS from_agent_slug, a.name AS from_agent_name, m.run_id, m.body, m.created_at
  FROM crew_messages m JOIN crews f ON f.id = m.from_crew_id JOIN crews t ON t.id = m.to_crew_id
    JOIN agents a ON a.id = m.from_agent_id`

export const queries = statements((db) => ({
  list: db.prepare<{ workspace: string; limit: number; offset: number }, Row>(
    `${select} WHERE m.workspace_id = @workspace ORDER BY m.rowid DESC LIMIT @limit OFFSET @offset`,
  ),
  ofCrew: db.prepare<{ crew: string; limit: number; offset: number }, Row>(
    `${select} WHERE m.from_crew_id = @crew OR m.to_crew_id = @crew ORDER BY m.rowid DESC LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[id: string], Row>(`${select} WHERE m.id = ?`),
  insert: db.prepare<[NewRow]>(
    `INSERT INTO crew_messages (id, workspace_id, from_crew_id, to_crew_id, from_agent_id, run_id, body, created_at)
     VALUES (@id, @workspace_id, @from_crew_id, @to_crew_id, @from_agent_id, @run_id, @body, @created_at)`,
  ),
  /** Removes all to a crew but the newest. */
  prune: db.prepare<{ crew: string; kept: number }>(
    `DELETE FROM crew_messages WHERE to_crew_id = @crew AND rowid <=
      (SELECT rowid FROM crew_messages WHERE to_crew_id = @crew ORDER BY rowid DESC LIMIT 1 OFFSET @kept)`,
  ),
}))
