import { statements } from '#kernel/store/db'

interface Tasks {
  agent_id: string
  active_tasks: number
  pending_tasks: number
  completed_today: number
}

export const queries = statements((db) => ({
  /** Tasks of missions by the agent that does them, which is the LEAD where a task names none. */
  tasks: db.prepare<[{ workspace: string; midnight: string }], Tasks>(
    `SELECT coalesce(t.assigned_agent_id, m.lead_agent_id) AS agent_id,
      sum(t.status = 'IN_PROGRESS') AS active_tasks,
      sum(t.status IN ('PENDING', 'BLOCKED') AND m.status IN ('PLANNING', 'IN_PROGRESS')) AS pending_tasks,
      sum(t.status = 'COMPLETED' AND t.completed_at >= @midnight) AS completed_today
     FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
      JOIN mission_tasks t ON t.mission_id = m.id
     WHERE m.workspace_id = @workspace AND m.mission_type = 'orchestration'
      AND (m.status IN ('PLANNING', 'IN_PROGRESS') OR t.completed_at >= @midnight)
     GROUP BY 1`,
  ),
}))
