import { statements } from '#kernel/store/db'

export interface ShellRow {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  user_id: string
  /** Milliseconds since 1970. */
  opened_at: number
}

const columns = 'id, workspace_id, crew_id, agent_id, user_id, opened_at'

/** Scans are of open shells, which are few. */
export const scans = { left: 'it reads all open shells, once, at the start' }

export const queries = statements((db) => ({
  insert: db.prepare<[ShellRow]>(
    `INSERT INTO shells (${columns}) VALUES (@id, @workspace_id, @crew_id, @agent_id, @user_id, @opened_at)`,
  ),
  remove: db.prepare<[id: string], ShellRow>(`DELETE FROM shells WHERE id = ? RETURNING ${columns}`),
  ofAgent: db.prepare<[agent: string], { id: string }>('SELECT id FROM shells WHERE agent_id = ?'),
  ofCrew: db.prepare<[crew: string], { id: string }>('SELECT id FROM shells WHERE crew_id = ?'),
  left: db.prepare<[], ShellRow>(`SELECT ${columns} FROM shells`),
}))
