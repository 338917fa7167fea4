import { statements } from '#kernel/store/db'

export interface Copied {
  id: string
  from: string
  title: string
  user: string
  now: string
}

export interface Task {
  id: string
  depends_on: string
  loop_back_to: string | null
}

export const queries = statements((db) => ({
  copy: db.prepare<[Copied]>(
    `INSERT INTO missions (id, workspace_id, crew_id, mission_type, number, identifier, title, description, status,
      priority, work_mode, sort_order, plan, lead_agent_id, workflow_template, created_by_type, created_by_id,
      created_at, updated_at)
     SELECT @id, workspace_id, crew_id, 'orchestration', 0, '', @title, description, 'PLANNING', priority, 'agent', 0,
      plan, (SELECT a.id FROM agents a WHERE a.id = lead_agent_id AND a.deleted_at IS NULL), workflow_template, 'user',
      @user, @now, @now
     FROM missions WHERE id = @from`,
  ),
  tasks: db.prepare<[mission: string], Task>(
    'SELECT id, depends_on, loop_back_to FROM mission_tasks WHERE mission_id = ? ORDER BY task_order, rowid',
  ),
  copyTask: db.prepare<{
    id: string
    mission: string
    from: string
    depends_on: string
    loop_back_to: string | null
    now: string
  }>(
    `INSERT INTO mission_tasks (id, mission_id, title, description, status, assigned_agent_id, task_order, depends_on,
      max_iterations, loop_back_to, approval_required, created_at, updated_at)
     SELECT @id, @mission, title, description, 'PENDING',
      (SELECT a.id FROM agents a WHERE a.id = assigned_agent_id AND a.deleted_at IS NULL), task_order, @depends_on,
      max_iterations, @loop_back_to, approval_required, @now, @now
     FROM mission_tasks WHERE id = @from`,
  ),
}))
