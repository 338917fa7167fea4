import { statements } from '#kernel/store/db'

export interface Use {
  invocations: number
  last_used_at: string
}

export const queries = statements((db) => ({
  given: db.prepare<[agent: string], { id: string; slug: string }>(
    'SELECT s.id, s.slug FROM agent_skills g JOIN skills s ON s.id = g.skill_id WHERE g.agent_id = ?',
  ),
  count: db
    .prepare<[workspace: string, skill: string, now: string], number>(
      `INSERT INTO skill_uses (workspace_id, skill_id, invocations, last_used_at) VALUES (?, ?, 1, ?)
       ON CONFLICT DO UPDATE SET invocations = invocations + 1, last_used_at = excluded.last_used_at
       RETURNING invocations`,
    )
    .pluck(),
  of: db.prepare<[workspace: string, skill: string], Use>(
    'SELECT invocations, last_used_at FROM skill_uses WHERE workspace_id = ? AND skill_id = ?',
  ),
  drop: db.prepare<[workspace: string]>('DELETE FROM skill_uses WHERE workspace_id = ?'),
}))
