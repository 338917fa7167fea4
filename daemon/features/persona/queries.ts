import { statements } from '#kernel/store/db'

export interface Suggestion {
  id: string
  workspace_id: string
  agent_id: string
  content: string
  rationale: string | null
  /** Id of the agent or the person. */
  suggested_by: string
  created_at: string
}

export const queries = statements((db) => ({
  insert: db.prepare<Suggestion>(
    `INSERT INTO persona_suggestions (id, workspace_id, agent_id, content, rationale, suggested_by, created_at)
     VALUES (@id, @workspace_id, @agent_id, @content, @rationale, @suggested_by, @created_at)`,
  ),
  find: db.prepare<[workspace: string, id: string], Suggestion & { state: string; outcome: string | null }>(
    `SELECT s.id, s.workspace_id, s.agent_id, s.content, s.rationale, s.suggested_by, s.created_at, d.state, d.outcome
      FROM persona_suggestions s JOIN decisions d ON d.id = s.id WHERE s.workspace_id = ? AND s.id = ?`,
  ),
}))
