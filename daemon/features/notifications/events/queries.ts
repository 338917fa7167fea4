import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  /** People who have to do with an issue: who opened it, who works on it, who said something about it. */
  concerned: db
    .prepare<{ id: string }, string>(
      `SELECT created_by_id FROM missions WHERE id = @id AND created_by_type = 'user' AND created_by_id IS NOT NULL
       UNION SELECT assignee_id FROM missions WHERE id = @id AND assignee_type = 'user' AND assignee_id IS NOT NULL
       UNION SELECT author_id FROM mission_comments WHERE mission_id = @id AND author_type = 'user'`,
    )
    .pluck(),
  member: db.prepare<[workspace: string, user: string], { user_id: string }>(
    'SELECT user_id FROM workspace_members WHERE workspace_id = ? AND user_id = ?',
  ),
  /** `roles` is a JSON list. */
  members: db
    .prepare<{ workspace: string; roles: string; most: number }, string>(
      `SELECT user_id FROM workspace_members WHERE workspace_id = @workspace
        AND role IN (SELECT value FROM json_each(@roles)) LIMIT @most`,
    )
    .pluck(),
  addresses: db.prepare<[workspace: string, most: number], { user_id: string; email: string }>(
    `SELECT m.user_id, u.email FROM workspace_members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = ? LIMIT ?`,
  ),
  agentCalled: db.prepare<[workspace: string, slug: string], { id: string }>(
    'SELECT id FROM agents WHERE workspace_id = ? AND slug = ? AND deleted_at IS NULL LIMIT 1',
  ),
  workspace: db.prepare<[id: string], { name: string }>('SELECT name FROM workspaces WHERE id = ?'),
  inviter: db.prepare<[id: string], { invited_by: string }>(
    'SELECT invited_by FROM workspace_invitations WHERE id = ?',
  ),
  /** For whom the card of a decision is. */
  audienceOfDecision: db
    .prepare<[id: string], string>(
      `SELECT i.audience FROM decisions d JOIN inbox_items i ON i.workspace_id = d.workspace_id AND i.id = d.item_id
       WHERE d.id = ?`,
    )
    .pluck(),
  audienceOfItem: db
    .prepare<[workspace: string, id: string], string>(
      'SELECT audience FROM inbox_items WHERE workspace_id = ? AND id = ?',
    )
    .pluck(),
  run: db.prepare<[id: string], { triggered_by: string | null; agent_name: string; source: string }>(
    'SELECT triggered_by, agent_name, source FROM runs WHERE id = ?',
  ),
  routineRun: db.prepare<[id: string], { user_id: string | null }>('SELECT user_id FROM routine_runs WHERE id = ?'),
}))
