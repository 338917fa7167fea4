import type { IssueStatus } from '#contract/issues'
import type { Worker } from '#contract/projects'
import { statements } from '#kernel/store/db'

/** What is stored of an issue. */
export interface Stored {
  id: string
  workspace_id: string
  crew_id: string
  number: number
  identifier: string
  title: string
  description: string | null
  status: IssueStatus
  priority: 'none' | 'low' | 'medium' | 'high' | 'urgent'
  assignee_type: Worker | null
  assignee_id: string | null
  work_mode: 'agent' | 'human'
  due_date: string | null
  sort_order: number
  project_id: string | null
  milestone_id: string | null
  parent_issue_id: string | null
  estimate: number | null
  routine_id: string | null
  routine_inputs_json: string | null
  authored_via: string | null
  created_by_type: string
  created_by_id: string | null
  created_at: string
  updated_at: string
  completed_at: string | null
  /** The chat in which its agent works on it. */
  work_chat_id: string | null
  /** The run of its routine that is at work. */
  work_run_id: string | null
}

export interface Row extends Stored {
  crew_name: string
  crew_slug: string
  project_name: string | null
  milestone_name: string | null
  routine_slug: string | null
  routine_name: string | null
  assignee_name: string | null
  created_by_name: string | null
  lead_agent_id: string | null
  /** Null without labels. */
  labels_json: string | null
  session_status: 'idle' | 'running' | 'awaiting_input' | null
  sub_issues_count: number
  comment_count: number
}

const own = `m.id, m.workspace_id, m.crew_id, m.number, m.identifier, m.title, m.description, m.status, m.priority,
  m.assignee_type, m.assignee_id, m.work_mode, m.due_date, m.sort_order, m.project_id, m.milestone_id,
  m.parent_issue_id, m.estimate, m.authored_via, m.created_by_type, m.created_by_id, m.created_at, m.updated_at,
  m.completed_at, m.work_chat_id, m.work_run_id, m.routine_id, m.routine_inputs_json`

const nameOf = (type: string, id: string) => `CASE ${type}
      WHEN 'agent' THEN (SELECT a.name FROM agents a WHERE a.id = ${id})
      WHEN 'user' THEN (SELECT coalesce(u.full_name, u.email) FROM users u WHERE u.id = ${id})
    END`

/** What a list shows of an issue `m` of the crew `c`. */
export const columns = `${own}, c.name AS crew_name, c.slug AS crew_slug,
    (SELECT p.name FROM projects p WHERE p.id = m.project_id) AS project_name,
    (SELECT n.name FROM milestones n WHERE n.id = m.milestone_id) AS milestone_name,
    (SELECT q.slug FROM routines q WHERE q.id = m.routine_id) AS routine_slug,
    (SELECT q.name FROM routines q WHERE q.id = m.routine_id) AS routine_name,
    ${nameOf('m.assignee_type', 'm.assignee_id')} AS assignee_name,
    ${nameOf('m.created_by_type', 'm.created_by_id')} AS created_by_name,
    (SELECT a.id FROM agents a WHERE a.crew_id = m.crew_id AND a.agent_role = 'LEAD' AND a.deleted_at IS NULL)
      AS lead_agent_id,
    CASE WHEN EXISTS (SELECT 1 FROM mission_labels ml WHERE ml.mission_id = m.id) THEN (
      SELECT json_group_array(
        json_object('id', l.id, 'name', l.name, 'color', l.color, 'label_group', l.label_group) ORDER BY l.name)
      FROM mission_labels ml JOIN labels l ON l.id = ml.label_id WHERE ml.mission_id = m.id) END AS labels_json,
    CASE
      WHEN EXISTS (SELECT 1 FROM runs r WHERE r.mission_id = m.id AND r.phase <> 'ended'
        AND r.phase IN ('parking', 'parked')) THEN 'awaiting_input'
      WHEN EXISTS (SELECT 1 FROM runs r WHERE r.mission_id = m.id AND r.phase <> 'ended') THEN 'running'
      WHEN EXISTS (SELECT 1 FROM chats h WHERE h.mission_id = m.id) THEN 'idle'
    END AS session_status,
    (SELECT count(*) FROM missions s JOIN crews k ON k.id = s.crew_id AND k.deleted_at IS NULL
      WHERE s.parent_issue_id = m.id) AS sub_issues_count,
    (SELECT count(*) FROM mission_comments k WHERE k.mission_id = m.id) AS comment_count`

/** Issues of a deleted crew are gone. */
const live = 'FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL'

const select = `SELECT ${columns} ${live} WHERE m.mission_type = 'issue'`

export const scans = { isAbove: 'it reads what stands above an issue, which is found by id' }

export const queries = statements((db) => ({
  find: db.prepare<{ workspace: string; name: string }, Row>(
    `${select} AND m.workspace_id = @workspace AND m.rowid = coalesce(
       (SELECT i.rowid FROM missions i
         WHERE i.workspace_id = @workspace AND i.identifier = @name AND i.mission_type = 'issue'),
       (SELECT i.rowid FROM missions i WHERE i.id = @name))`,
  ),
  below: db.prepare<[parent: string, limit: number, offset: number], Row>(
    `${select} AND m.parent_issue_id = ? ORDER BY m.created_at, m.rowid LIMIT ? OFFSET ?`,
  ),
  /** Whether the first stands above the second, or is it. */
  isAbove: db
    .prepare<{ upper: string; lower: string }, 1>(
      `WITH RECURSIVE up(id) AS (SELECT @lower UNION SELECT m.parent_issue_id FROM missions m JOIN up ON m.id = up.id
           WHERE m.parent_issue_id IS NOT NULL) SELECT 1 FROM up WHERE id = @upper`,
    )
    .pluck(),
  nextNumber: db
    .prepare<[workspace: string, prefix: string], number>(
      `INSERT INTO issue_counters (workspace_id, prefix, next_number) VALUES (?, ?, 2)
         ON CONFLICT (workspace_id, prefix) DO UPDATE SET next_number = next_number + 1 RETURNING next_number - 1`,
    )
    .pluck(),
  insert: db.prepare<[Omit<Stored, 'work_chat_id' | 'work_run_id'>]>(
    `INSERT INTO missions (id, workspace_id, crew_id, mission_type, number, identifier, title, description, status,
        priority, assignee_type, assignee_id, work_mode, due_date, sort_order, project_id, milestone_id,
        parent_issue_id, estimate, routine_id, routine_inputs_json, authored_via, created_by_type, created_by_id,
        created_at, updated_at, completed_at)
       VALUES (@id, @workspace_id, @crew_id, 'issue', @number, @identifier, @title, @description, @status, @priority,
        @assignee_type, @assignee_id, @work_mode, @due_date, @sort_order, @project_id, @milestone_id,
        @parent_issue_id, @estimate, @routine_id, @routine_inputs_json, @authored_via, @created_by_type, @created_by_id,
        @created_at, @updated_at, @completed_at)`,
  ),
  update: db.prepare<[Stored]>(
    `UPDATE missions SET title = @title, description = @description, status = @status, priority = @priority,
        assignee_type = @assignee_type, assignee_id = @assignee_id, work_mode = @work_mode, due_date = @due_date,
        sort_order = @sort_order, project_id = @project_id, milestone_id = @milestone_id,
        parent_issue_id = @parent_issue_id, estimate = @estimate, routine_id = @routine_id,
        routine_inputs_json = @routine_inputs_json, updated_at = @updated_at, completed_at = @completed_at,
        work_chat_id = @work_chat_id, work_run_id = @work_run_id WHERE id = @id`,
  ),
  setStatus: db.prepare<[Pick<Stored, 'id' | 'status' | 'work_chat_id' | 'work_run_id' | 'updated_at'>]>(
    `UPDATE missions SET status = @status, work_chat_id = @work_chat_id, work_run_id = @work_run_id,
        updated_at = @updated_at, completed_at = CASE WHEN @status = 'DONE' THEN coalesce(completed_at,
        @updated_at) END WHERE id = @id`,
  ),
  setWorker: db.prepare<[Pick<Stored, 'id' | 'assignee_id'>]>(
    "UPDATE missions SET assignee_type = 'user', assignee_id = @assignee_id, work_mode = 'human' WHERE id = @id",
  ),
  ofRoutineRun: db.prepare<[run: string], Row>(`${select} AND m.work_run_id = ?`),
  leaveRoutine: db.prepare<[routine: string]>(
    'UPDATE missions SET routine_id = NULL, routine_inputs_json = NULL WHERE routine_id = ?',
  ),
  atWork: db.prepare<[], Row>(`${select} AND m.work_chat_id IS NOT NULL`),
  remove: db.prepare<[id: string]>('DELETE FROM missions WHERE id = ?'),
  orphan: db.prepare<[parent: string]>('UPDATE missions SET parent_issue_id = NULL WHERE parent_issue_id = ?'),
  dropComments: db.prepare<[issue: string]>('DELETE FROM mission_comments WHERE mission_id = ?'),
  dropEvents: db.prepare<[issue: string]>('DELETE FROM mission_activity WHERE mission_id = ?'),
  dropRelations: db.prepare<{ id: string }>('DELETE FROM mission_relations WHERE source_id = @id OR target_id = @id'),
  label: db.prepare<[issue: string, label: string]>('INSERT INTO mission_labels (mission_id, label_id) VALUES (?, ?)'),
  dropLabels: db.prepare<[issue: string]>('DELETE FROM mission_labels WHERE mission_id = ?'),
  dropLabel: db.prepare<[label: string]>('DELETE FROM mission_labels WHERE label_id = ?'),
  leaveProject: db.prepare<[project: string]>(
    'UPDATE missions SET project_id = NULL, milestone_id = NULL WHERE project_id = ?',
  ),
  leaveMilestone: db.prepare<[milestone: string]>('UPDATE missions SET milestone_id = NULL WHERE milestone_id = ?'),
  leaveAgent: db.prepare<[agent: string]>(
    "UPDATE missions SET assignee_type = NULL, assignee_id = NULL WHERE assignee_type = 'agent' AND assignee_id = ?",
  ),
  leaveUser: db.prepare<[workspace: string, user: string]>(
    `UPDATE missions SET assignee_type = NULL, assignee_id = NULL
       WHERE workspace_id = ? AND assignee_type = 'user' AND assignee_id = ?`,
  ),
  ofWorker: db.prepare<{ workspace: string; type: string; worker: string }, Row>(
    `${select} AND m.workspace_id = @workspace AND m.assignee_type = @type AND m.assignee_id = @worker
     ORDER BY m.created_at, m.id`,
  ),
  isAgent: db
    .prepare<[workspace: string, id: string], 1>(
      'SELECT 1 FROM agents WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
    )
    .pluck(),
  untriaged: db.prepare<[workspace: string, after: number, most: number], { place: number; id: string; title: string }>(
    `SELECT m.rowid AS place, m.id, m.title ${live}
       WHERE m.workspace_id = ? AND m.mission_type = 'issue' AND m.status = 'BACKLOG' AND m.assignee_id IS NULL
         AND m.parent_issue_id IS NULL AND m.rowid > ? ORDER BY m.rowid LIMIT ?`,
  ),
  triage: db.prepare<[Triaged]>(
    `UPDATE missions SET crew_id = @crew_id, assignee_type = @assignee_type, assignee_id = @assignee_id,
        work_mode = CASE WHEN @assignee_id IS NULL THEN work_mode ELSE 'agent' END, priority = @priority,
        project_id = @project_id, milestone_id = @milestone_id, updated_at = @now
       WHERE id = @id`,
  ),
  event: db.prepare<[NewEvent]>(
    `INSERT INTO mission_activity (id, mission_id, actor_type, actor_id, action, details, created_at)
       VALUES (@id, @mission_id, @actor_type, @actor_id, @action, @details, @created_at)`,
  ),
  /** How many events there are of an issue. */
  eventCount: db.prepare<[issue: string], number>('SELECT count(*) FROM mission_activity WHERE mission_id = ?').pluck(),
  events: db.prepare<[issue: string, limit: number, offset: number], EventRow>(
    `SELECT e.id, e.mission_id, e.actor_type, e.actor_id, ${nameOf('e.actor_type', 'e.actor_id')} AS actor_name,
        e.action, e.details, e.created_at
       FROM mission_activity e WHERE e.mission_id = ? ORDER BY e.rowid DESC LIMIT ? OFFSET ?`,
  ),
}))

export interface Triaged extends Pick<Stored, 'id' | 'crew_id' | 'assignee_id' | 'priority' | 'project_id'> {
  assignee_type: string | null
  milestone_id: string | null
  now: string
}

export interface NewEvent {
  id: string
  mission_id: string
  actor_type: string
  actor_id: string | null
  action: string
  details: string | null
  created_at: string
}

export interface EventRow extends NewEvent {
  actor_name: string | null
}
