import type { AssignmentState } from '#contract/assignments'
import { statements } from '#kernel/store/db'

export interface Row {
  seq: number
  id: string
  workspace_id: string
  crew_id: string
  chat_id: string | null
  mission_id: string | null
  /** The task of that mission. */
  task_id: string | null
  assigned_by_id: string
  assigned_to_id: string
  task: string
  status: AssignmentState
  waiting: 0 | 1
  group_id: string
  depth: number
  parent_assignment_id: string | null
  parent_run_id: string
  chain_origin: string
  triggered_by: string | null
  call_id: string | null
  approval_id: string | null
  run_id: string | null
  created_at: string
  queued_at: string | null
  running_at: string | null
  started_at: string | null
  finished_at: string | null
  result_summary: string | null
  error_message: string | null
  refusal: string | null
  /** What the agent is told where that is more than the task. */
  brief: string | null
  delivery: 'tool' | 'turn' | 'none' | null
  delivery_run_id: string | null
  by_name: string
  by_slug: string
  to_name: string
  to_slug: string
}

export type NewRow = Pick<
  Row,
  | 'id'
  | 'workspace_id'
  | 'crew_id'
  | 'chat_id'
  | 'mission_id'
  | 'task_id'
  | 'brief'
  | 'assigned_by_id'
  | 'assigned_to_id'
  | 'task'
  | 'group_id'
  | 'depth'
  | 'parent_assignment_id'
  | 'parent_run_id'
  | 'chain_origin'
  | 'triggered_by'
  | 'call_id'
  | 'created_at'
>

/** How an assignment ends. */
export interface Ending {
  id: string
  status: 'COMPLETED' | 'FAILED' | 'CANCELLED'
  result: string | null
  error: string | null
  now: string
}

const own = `s.seq, s.id, s.workspace_id, s.crew_id, s.chat_id, s.mission_id, s.assigned_by_id, s.assigned_to_id,
  s.task, s.status, s.waiting, s.group_id, s.depth, s.parent_assignment_id, s.parent_run_id, s.chain_origin,
  s.triggered_by, s.call_id, s.approval_id, s.run_id, s.created_at, s.queued_at, s.running_at, s.started_at,
  s.finished_at, s.result_summary, s.error_message, s.refusal, s.task_id, s.brief, s.delivery, s.delivery_run_id`
const columns = `${own}, b.name AS by_name, b.slug AS by_slug, t.name AS to_name, t.slug AS to_slug`
const names = 'JOIN agents b ON b.id = s.assigned_by_id JOIN agents t ON t.id = s.assigned_to_id'
const undelivered = 'finished_at IS NOT NULL AND delivery IS NULL'

export const queries = statements((db) => ({
  insert: db.prepare<[NewRow], { id: string }>(
    `INSERT INTO assignments (id, workspace_id, crew_id, chat_id, mission_id, task_id, brief, assigned_by_id,
      assigned_to_id, task, status, group_id, depth, parent_assignment_id, parent_run_id, chain_origin,
      triggered_by, call_id, created_at)
     VALUES (@id, @workspace_id, @crew_id, @chat_id, @mission_id, @task_id, @brief, @assigned_by_id,
      @assigned_to_id, @task, 'PENDING', @group_id, @depth, @parent_assignment_id, @parent_run_id,
      @chain_origin, @triggered_by, @call_id, @created_at)
     RETURNING id`,
  ),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} FROM assignments s ${names} WHERE s.id = ?`),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.workspace_id = ? AND s.id = ?`,
  ),
  ofCall: db.prepare<[call: string], Row>(`SELECT ${columns} FROM assignments s ${names} WHERE s.call_id = ?`),
  ofCrew: db.prepare<{ crew: string; limit: number; offset: number }, Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.crew_id = @crew ORDER BY s.seq DESC
     LIMIT @limit OFFSET @offset`,
  ),
  ofGroup: db.prepare<[group: string], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.group_id = ? ORDER BY s.seq`,
  ),
  ofChain: db.prepare<[chain: string, limit: number], Row & { crew_slug: string }>(
    `SELECT ${columns}, c.slug AS crew_slug FROM assignments s ${names} JOIN crews c ON c.id = s.crew_id
     WHERE s.chain_origin = ? ORDER BY s.seq LIMIT ?`,
  ),
  ofTurn: db.prepare<[run: string], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.delivery_run_id = ? ORDER BY s.seq`,
  ),
  openTo: db.prepare<[agent: string], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.assigned_to_id = ? AND s.finished_at IS NULL`,
  ),
  openBy: db.prepare<[agent: string], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.assigned_by_id = ? AND s.finished_at IS NULL`,
  ),
  openCount: db.prepare<[agent: string], { n: number }>(
    'SELECT count(*) AS n FROM assignments WHERE assigned_to_id = ? AND finished_at IS NULL',
  ),
  groupCount: db.prepare<[group: string], { n: number }>('SELECT count(*) AS n FROM assignments WHERE group_id = ?'),
  openInChat: db.prepare<[chat: string], { id: string }>(
    'SELECT id FROM assignments WHERE chat_id = ? AND finished_at IS NULL LIMIT 1',
  ),
  /** Groups of which something goes on, or has ended and was not told. */
  groupsOfChat: db.prepare<{ chat: string }, { group_id: string }>(
    `SELECT group_id FROM assignments WHERE chat_id = @chat AND finished_at IS NULL
     UNION SELECT group_id FROM assignments WHERE chat_id = @chat AND ${undelivered}`,
  ),
  /** What is open of a chat, nobody is to be told there any more. */
  leaveOpen: db.prepare<[chat: string]>(
    'UPDATE assignments SET chat_id = NULL WHERE chat_id = ? AND finished_at IS NULL',
  ),
  leaveMission: db.prepare<[mission: string]>('UPDATE assignments SET mission_id = NULL WHERE mission_id = ?'),
  leaveChat: db.prepare<[chat: string]>('UPDATE assignments SET chat_id = NULL WHERE chat_id = ?'),
  groupOfTurn: db.prepare<[run: string], { group_id: string; chain_origin: string }>(
    'SELECT group_id, chain_origin FROM assignments WHERE delivery_run_id = ? LIMIT 1',
  ),
  target: db.prepare<[workspace: string, slug: string], { id: string }>(
    'SELECT id FROM agents WHERE workspace_id = ? AND slug = ? AND deleted_at IS NULL',
  ),
  deleted: db.prepare<[workspace: string, slug: string], { id: string }>(
    'SELECT id FROM agents WHERE workspace_id = ? AND slug = ? AND deleted_at IS NOT NULL LIMIT 1',
  ),
  setApproval: db.prepare<[approval: string, id: string]>('UPDATE assignments SET approval_id = ? WHERE id = ?'),
  setRefusal: db.prepare<[refusal: string, id: string]>('UPDATE assignments SET refusal = ? WHERE id = ?'),

  crew: db.prepare<[crew: string], { most: number | null; memory: number | null }>(
    'SELECT max_concurrent_agents AS most, container_memory_mb AS memory FROM crews WHERE id = ?',
  ),
  running: db.prepare<[crew: string], { n: number }>(
    "SELECT count(*) AS n FROM assignments WHERE crew_id = ? AND status = 'RUNNING' AND waiting = 0",
  ),
  next: db.prepare<[crew: string], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.crew_id = ? AND s.status = 'QUEUED' ORDER BY s.seq LIMIT 1`,
  ),
  queuedIn: db.prepare<[crew: string], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.crew_id = ? AND s.status = 'QUEUED'`,
  ),
  queued: db.prepare<[crew: string], { n: number }>(
    "SELECT count(*) AS n FROM assignments WHERE crew_id = ? AND status = 'QUEUED'",
  ),
  queuedCrews: db.prepare<[], { crew_id: string; workspace_id: string }>(
    "SELECT DISTINCT crew_id, workspace_id FROM assignments WHERE status = 'QUEUED'",
  ),
  enqueue: db.prepare<[{ id: string; now: string }], { id: string }>(
    `UPDATE assignments SET status = 'QUEUED', waiting = 0, queued_at = @now
     WHERE id = @id AND (status = 'PENDING' OR (status = 'RUNNING' AND waiting = 1)) RETURNING id`,
  ),
  begin: db.prepare<[{ id: string; run: string; now: string }], { id: string }>(
    `UPDATE assignments SET status = 'RUNNING', waiting = 0, run_id = @run, running_at = @now,
      started_at = coalesce(started_at, @now)
     WHERE id = @id AND status = 'QUEUED' RETURNING id`,
  ),
  wait: db.prepare<[{ id: string; run: string; result: string | null }], { id: string }>(
    `UPDATE assignments SET waiting = 1, result_summary = @result
     WHERE id = @id AND status = 'RUNNING' AND run_id = @run RETURNING id`,
  ),
  /** The only statement that ends an assignment: once. */
  end: db.prepare<[Ending], { id: string }>(
    `UPDATE assignments SET status = @status, waiting = 0, finished_at = @now, result_summary = @result,
      error_message = @error
     WHERE id = @id AND finished_at IS NULL RETURNING id`,
  ),
  overdue: db.prepare<[{ now: number }], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.status = 'RUNNING' AND s.waiting = 0
      AND unixepoch(s.running_at) + max(t.timeout_seconds + 900, 7200) < @now`,
  ),
  lost: db.prepare<[], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.status = 'RUNNING' AND s.waiting = 0
      AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = s.run_id AND r.phase <> 'ended')`,
  ),
  /** Groups of which something is open although what asked for it was cancelled or is over. */
  orphaned: db.prepare<[], { group_id: string }>(
    `SELECT DISTINCT s.group_id FROM assignments s JOIN runs r ON r.id = s.parent_run_id
      LEFT JOIN assignments p ON p.id = s.parent_assignment_id
     WHERE s.finished_at IS NULL AND (r.outcome = 'CANCELLED' OR p.finished_at IS NOT NULL)`,
  ),

  openOfGroup: db.prepare<[group: string], { id: string }>(
    'SELECT id FROM assignments WHERE group_id = ? AND finished_at IS NULL LIMIT 1',
  ),
  undelivered: db.prepare<[group: string], Row>(
    `SELECT ${columns} FROM assignments s ${names} WHERE s.group_id = ? AND s.finished_at IS NOT NULL
      AND s.delivery IS NULL ORDER BY s.seq`,
  ),
  undeliveredOfChat: db.prepare<[chat: string], { group_id: string }>(
    `SELECT DISTINCT group_id FROM assignments WHERE chat_id = ? AND ${undelivered}`,
  ),
  undeliveredGroups: db.prepare<[], { group_id: string }>(
    `SELECT DISTINCT group_id FROM assignments WHERE ${undelivered}`,
  ),
  deliver: db.prepare<[{ id: string; delivery: Row['delivery']; run: string | null }], { id: string }>(
    `UPDATE assignments SET delivery = @delivery, delivery_run_id = @run
     WHERE id = @id AND finished_at IS NOT NULL AND delivery IS NULL RETURNING id`,
  ),
  /** Runs of an assignment before one, oldest first. */
  runsBefore: db.prepare<[assignment: string, run: string], { id: string }>(
    `SELECT id FROM runs WHERE source = 'assignment' AND source_id = ? AND id <> ? ORDER BY created_at, id`,
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = {
  queuedCrews: 'an index of those that wait',
  undeliveredGroups: 'an index of the few whose end was not told yet',
  overdue: 'an index of the few that are at work',
  lost: 'an index of the few that are at work',
  orphaned: 'an index of those that are open',
}
