import type { MissionStatus, TaskStatus } from '#contract/missions'
import { statements } from '#kernel/store/db'

/** A mission; of an issue only what a list of both shows. */
export interface Row {
  id: string
  workspace_id: string
  crew_id: string
  crew_name: string
  crew_slug: string
  mission_type: 'orchestration' | 'issue'
  identifier: string
  title: string
  description: string | null
  plan: string | null
  status: MissionStatus
  lead_agent_id: string | null
  lead_agent_name: string | null
  lead_agent_slug: string | null
  workflow_template: string | null
  trace_id: string | null
  error_message: string | null
  plan_run_id: string | null
  plan_attempts: number
  plan_starts: 0 | 1
  plan_state: 'asked' | 'again' | 'start' | null
  approval_id: string | null
  created_by_type: string
  created_by_id: string | null
  created_by_name: string | null
  started_at: string | null
  deadline_at: string | null
  completed_at: string | null
  created_at: string
  updated_at: string
}

export interface TaskRow {
  id: string
  mission_id: string
  title: string
  description: string | null
  status: TaskStatus
  assigned_agent_id: string | null
  agent_name: string | null
  agent_slug: string | null
  task_order: number
  /** JSON. */
  depends_on: string
  iteration: number
  max_iterations: number
  /** The task from which all is done again when this one fails. */
  loop_back_to: string | null
  assignment_id: string | null
  result_summary: string | null
  error_message: string | null
  confidence: number | null
  approval_required: 0 | 1
  approval_status: 'APPROVED' | 'REJECTED' | null
  approval_id: string | null
  approved_by: string | null
  approved_at: string | null
  started_at: string | null
  completed_at: string | null
  created_at: string
  updated_at: string
  /** What the runs of all attempts used; null where no client told. */
  token_count: number | null
  estimated_cost: number | null
}

export type NewMission = Pick<
  Row,
  | 'id'
  | 'workspace_id'
  | 'crew_id'
  | 'title'
  | 'description'
  | 'plan'
  | 'lead_agent_id'
  | 'workflow_template'
  | 'created_by_type'
  | 'created_by_id'
  | 'created_at'
>
export type Changed = Pick<
  Row,
  | 'id'
  | 'title'
  | 'description'
  | 'plan'
  | 'status'
  | 'trace_id'
  | 'error_message'
  | 'plan_run_id'
  | 'plan_attempts'
  | 'plan_starts'
  | 'plan_state'
  | 'approval_id'
  | 'started_at'
  | 'deadline_at'
  | 'completed_at'
  | 'updated_at'
>
export type StoredTask = Omit<TaskRow, 'agent_name' | 'agent_slug' | 'token_count' | 'estimated_cost'>

interface Filter {
  workspace: string
  crew: string | null
  type: string | null
  /** A JSON list; null: any. */
  statuses: string | null
  limit: number
  offset: number
}

const nameOf = `CASE m.created_by_type
      WHEN 'agent' THEN (SELECT a.name FROM agents a WHERE a.id = m.created_by_id)
      WHEN 'user' THEN (SELECT coalesce(u.full_name, u.email) FROM users u WHERE u.id = m.created_by_id)
    END`
const columns = `m.id, m.workspace_id, m.crew_id, c.name AS crew_name, c.slug AS crew_slug, m.mission_type,
  m.identifier, m.title, m.description, m.plan, m.status, m.lead_agent_id, l.name AS lead_agent_name,
  l.slug AS lead_agent_slug, m.workflow_template, m.trace_id, m.error_message, m.plan_run_id, m.plan_attempts,
  m.plan_starts, m.plan_state, m.approval_id, m.created_by_type, m.created_by_id, ${nameOf} AS created_by_name,
  m.started_at, m.deadline_at, m.completed_at, m.created_at, m.updated_at`
/** Missions of a deleted crew are gone. */
const live = `FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
  LEFT JOIN agents l ON l.id = m.lead_agent_id`
const chosen = `(@type IS NULL OR m.mission_type = @type)
  AND (@statuses IS NULL OR m.status IN (SELECT value FROM json_each(@statuses)))
  ORDER BY m.created_at DESC, m.rowid DESC LIMIT @limit OFFSET @offset`

const runsOfTask = `FROM assignments s JOIN runs r ON r.source = 'assignment' AND r.source_id = s.id
    JOIN run_records x ON x.workspace_id = s.workspace_id AND x.id = r.id WHERE s.task_id = t.id`
const taskColumns = `t.id, t.mission_id, t.title, t.description, t.status, t.assigned_agent_id, a.name AS agent_name,
  a.slug AS agent_slug, t.task_order, t.depends_on, t.iteration, t.max_iterations, t.loop_back_to, t.assignment_id,
  t.result_summary, t.error_message, t.confidence, t.approval_required, t.approval_status, t.approval_id,
  t.approved_by, t.approved_at, t.started_at, t.completed_at, t.created_at, t.updated_at`

export const queries = statements((db) => ({
  ofWorkspace: db.prepare<[Filter], Row>(
    `SELECT ${columns} ${live} WHERE m.workspace_id = @workspace AND @crew IS NULL AND ${chosen}`,
  ),
  ofCrew: db.prepare<[Filter], Row>(
    `SELECT ${columns} ${live} WHERE m.workspace_id = @workspace AND m.crew_id = @crew AND ${chosen}`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} ${live} WHERE m.workspace_id = ? AND m.id = ? AND m.mission_type = 'orchestration'`,
  ),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} ${live} WHERE m.id = ? AND m.mission_type = 'orchestration'`),
  /** Also of a crew that is deleted. */
  anyById: db.prepare<[id: string], Row>(
    `SELECT ${columns} FROM missions m JOIN crews c ON c.id = m.crew_id LEFT JOIN agents l ON l.id = m.lead_agent_id
     WHERE m.id = ? AND m.mission_type = 'orchestration'`,
  ),
  insert: db.prepare<[NewMission]>(
    `INSERT INTO missions (id, workspace_id, crew_id, mission_type, number, identifier, title, description, plan,
      status, priority, work_mode, sort_order, lead_agent_id, workflow_template, created_by_type, created_by_id,
      created_at, updated_at)
     VALUES (@id, @workspace_id, @crew_id, 'orchestration', 0, '', @title, @description, @plan, 'PLANNING',
      'none', 'agent', 0, @lead_agent_id, @workflow_template, @created_by_type, @created_by_id, @created_at,
      @created_at)`,
  ),
  /** Moves a mission only from the status in which it was read. */
  update: db.prepare<[Changed & { from: MissionStatus }], { id: string }>(
    `UPDATE missions SET title = @title, description = @description, plan = @plan, status = @status,
      trace_id = @trace_id, error_message = @error_message, plan_run_id = @plan_run_id,
      plan_attempts = @plan_attempts, plan_starts = @plan_starts, plan_state = @plan_state, approval_id = @approval_id,
      started_at = @started_at, deadline_at = @deadline_at, completed_at = @completed_at, updated_at = @updated_at
     WHERE id = @id AND status = @from RETURNING id`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM missions WHERE id = ?'),
  /** Missions that are at work. */
  atWork: db.prepare<[], { id: string }>(
    "SELECT id FROM missions WHERE status = 'IN_PROGRESS' AND deadline_at IS NOT NULL",
  ),
  planned: db.prepare<[], { id: string }>("SELECT id FROM missions WHERE plan_state IN ('again', 'start')"),
  openOfCrew: db.prepare<[crew: string], { id: string; workspace_id: string }>(
    `SELECT id, workspace_id FROM missions WHERE crew_id = ? AND mission_type = 'orchestration'
      AND status IN ('PLANNING', 'IN_PROGRESS', 'REVIEW')`,
  ),
  /** How many missions that agents of a crew made are not over. */
  openOfAgents: db
    .prepare<[crew: string], number>(
      `SELECT count(*) FROM missions WHERE crew_id = ? AND mission_type = 'orchestration'
        AND status IN ('PLANNING', 'IN_PROGRESS', 'REVIEW') AND created_by_type = 'agent'`,
    )
    .pluck(),
  ofPlanRun: db.prepare<[mission: string, run: string], Row>(
    `SELECT ${columns} ${live} WHERE m.id = ? AND m.plan_run_id = ?`,
  ),
  lead: db.prepare<[crew: string, agent: string], { id: string }>(
    `SELECT id FROM agents WHERE crew_id = ? AND id = ? AND agent_role = 'LEAD' AND deleted_at IS NULL`,
  ),
  agentsOfCrew: db.prepare<
    [crew: string],
    { id: string; slug: string; name: string; role_title: string | null; agent_role: string }
  >('SELECT id, slug, name, role_title, agent_role FROM agents WHERE crew_id = ? AND deleted_at IS NULL ORDER BY slug'),
  counts: db.prepare<
    [{ workspace: string; since: string }],
    {
      total_missions: number
      active_missions: number
      completed_24h: number
      failed_24h: number
      avg_completion_time_ms: number
    }
  >(
    `SELECT count(*) AS total_missions,
      coalesce(sum(m.status IN ('IN_PROGRESS', 'PLANNING', 'REVIEW')), 0) AS active_missions,
      coalesce(sum(m.status = 'COMPLETED' AND m.completed_at >= @since), 0) AS completed_24h,
      coalesce(sum(m.status = 'FAILED' AND m.updated_at >= @since), 0) AS failed_24h,
      coalesce(CAST(1000 * avg(CASE WHEN m.status = 'COMPLETED' AND m.completed_at >= @since
        THEN unixepoch(m.completed_at) - unixepoch(m.started_at) END) AS INTEGER), 0) AS avg_completion_time_ms
     FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
     WHERE m.workspace_id = @workspace AND m.mission_type = 'orchestration'`,
  ),
  taskCounts: db.prepare<
    [{ workspace: string; since: string }],
    { tasks_completed_24h: number; tasks_failed_24h: number }
  >(
    `SELECT coalesce(sum(t.status = 'COMPLETED'), 0) AS tasks_completed_24h,
      coalesce(sum(t.status = 'FAILED'), 0) AS tasks_failed_24h
     FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
      JOIN mission_tasks t ON t.mission_id = m.id AND t.completed_at >= @since
     WHERE m.workspace_id = @workspace AND m.mission_type = 'orchestration'`,
  ),
  spent: db.prepare<[{ workspace: string; since: string }], { total_tokens_24h: number; total_cost_24h: number }>(
    `SELECT coalesce(sum(coalesce(x.input_tokens, 0) + coalesce(x.output_tokens, 0)), 0) AS total_tokens_24h,
      coalesce(sum(x.cost_usd), 0) AS total_cost_24h
     FROM run_records x JOIN runs r ON r.id = x.id AND r.source = 'assignment'
      JOIN assignments s ON s.id = r.source_id AND s.mission_id IS NOT NULL
     WHERE x.workspace_id = @workspace AND x.finished >= @since`,
  ),

  tasks: db.prepare<[mission: string], TaskRow>(
    `SELECT ${taskColumns},
      (SELECT sum(coalesce(x.input_tokens, 0) + coalesce(x.output_tokens, 0)) ${runsOfTask}) AS token_count,
      (SELECT sum(x.cost_usd) ${runsOfTask}) AS estimated_cost
     FROM mission_tasks t LEFT JOIN agents a ON a.id = t.assigned_agent_id
     WHERE t.mission_id = ? ORDER BY t.task_order, t.rowid`,
  ),
  states: db.prepare<[mission: string], Pick<StoredTask, 'id' | 'status' | 'depends_on'>>(
    'SELECT id, status, depends_on FROM mission_tasks WHERE mission_id = ? ORDER BY task_order, rowid',
  ),
  task: db.prepare<[mission: string, id: string], StoredTask>(
    'SELECT * FROM mission_tasks WHERE mission_id = ? AND id = ?',
  ),
  taskOfAssignment: db.prepare<[assignment: string], StoredTask>('SELECT * FROM mission_tasks WHERE assignment_id = ?'),
  taskById: db.prepare<[id: string], StoredTask>('SELECT * FROM mission_tasks WHERE id = ?'),
  insertTask: db.prepare<[StoredTask]>(
    `INSERT INTO mission_tasks (id, mission_id, title, description, status, assigned_agent_id, task_order, depends_on,
      iteration, max_iterations, loop_back_to, assignment_id, result_summary, error_message, confidence,
      approval_required, approval_status, approval_id, approved_by, approved_at, started_at, completed_at, created_at,
      updated_at)
     VALUES (@id, @mission_id, @title, @description, @status, @assigned_agent_id, @task_order, @depends_on,
      @iteration, @max_iterations, @loop_back_to, @assignment_id, @result_summary, @error_message, @confidence,
      @approval_required, @approval_status, @approval_id, @approved_by, @approved_at, @started_at, @completed_at,
      @created_at, @updated_at)`,
  ),
  updateTask: db.prepare<[StoredTask]>(
    `UPDATE mission_tasks SET title = @title, description = @description, status = @status,
      assigned_agent_id = @assigned_agent_id, depends_on = @depends_on, iteration = @iteration,
      max_iterations = @max_iterations, assignment_id = @assignment_id, result_summary = @result_summary,
      error_message = @error_message, confidence = @confidence, approval_required = @approval_required,
      approval_status = @approval_status, approval_id = @approval_id, approved_by = @approved_by,
      approved_at = @approved_at, started_at = @started_at, completed_at = @completed_at, updated_at = @updated_at
     WHERE id = @id`,
  ),
  removeTask: db.prepare<[id: string]>('DELETE FROM mission_tasks WHERE id = ?'),
  removeTasks: db.prepare<[mission: string]>('DELETE FROM mission_tasks WHERE mission_id = ?'),
  nextOrder: db
    .prepare<[mission: string], number>(
      'SELECT coalesce(max(task_order), 0) + 1 FROM mission_tasks WHERE mission_id = ?',
    )
    .pluck(),
}))
