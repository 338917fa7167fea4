import type { PeerStatus } from '#contract/peers'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  crew_id: string
  from_agent_id: string
  to_agent_id: string
  question: string
  response: string | null
  status: PeerStatus
  error: string | null
  warning: string | null
  asking_run_id: string
  run_id: string
  call_id: string | null
  created_at: string
  deadline_at: string
  finished_at: string | null
  duration_ms: number | null
  asked_ms: number
  from_name: string
  from_slug: string
  to_name: string
  to_slug: string
  /** Who answers asked people in turn. */
  escalated: 0 | 1
}

export type NewRow = Pick<
  Row,
  | 'id'
  | 'workspace_id'
  | 'crew_id'
  | 'from_agent_id'
  | 'to_agent_id'
  | 'question'
  | 'asking_run_id'
  | 'run_id'
  | 'call_id'
  | 'created_at'
  | 'deadline_at'
  | 'asked_ms'
>

const select = `SELECT p.id, p.workspace_id, p.crew_id, p.from_agent_id, p.to_agent_id, p.question, p.response,
    p.status, p.error, p.warning, p.asking_run_id, p.run_id, p.call_id, p.created_at, p.deadline_at, p.finished_at,
    p.duration_ms, p.asked_ms, f.name AS from_name, f.slug AS from_slug, t.name AS to_name, t.slug AS to_slug,
    EXISTS (SELECT 1 FROM escalations e WHERE e.run_id = p.run_id) AS escalated
  FROM peer_conversations p JOIN agents f ON f.id = p.from_agent_id JOIN agents t ON t.id = p.to_agent_id`

interface End {
  id: string
  status: Exclude<PeerStatus, 'RUNNING'>
  response: string | null
  error: string | null
  now: string
  ms: number
}

export const queries = statements((db) => ({
  list: db.prepare<{ crew: string; limit: number; offset: number }, Row>(
    `${select} WHERE p.crew_id = @crew ORDER BY p.rowid DESC LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[id: string], Row>(`${select} WHERE p.id = ?`),
  ofRun: db.prepare<[run: string], Row>(`${select} WHERE p.run_id = ?`),
  ofCall: db.prepare<[call: string], Row>(`${select} WHERE p.call_id = ?`),
  askedIn: db.prepare<[run: string], Row>(`${select} WHERE p.asking_run_id = ? AND p.status = 'RUNNING'`),
  open: db.prepare<[agent: string], { n: number }>(
    "SELECT count(*) AS n FROM peer_conversations WHERE from_agent_id = ? AND status = 'RUNNING'",
  ),
  due: db.prepare<[now: string], Row>(`${select} WHERE p.status = 'RUNNING' AND p.deadline_at <= ?`),
  next: db
    .prepare<[], string | null>("SELECT min(deadline_at) FROM peer_conversations WHERE status = 'RUNNING'")
    .pluck(),
  from: db.prepare<[agent: string, limit: number], Row>(
    `${select} WHERE p.from_agent_id = ? ORDER BY p.rowid DESC LIMIT ?`,
  ),
  to: db.prepare<[agent: string, limit: number], Row>(
    `${select} WHERE p.to_agent_id = ? ORDER BY p.rowid DESC LIMIT ?`,
  ),
  insert: db.prepare<[NewRow]>(
    `INSERT INTO peer_conversations (id, workspace_id, crew_id, from_agent_id, to_agent_id, question, status,
      asking_run_id, run_id, call_id, created_at, deadline_at, asked_ms)
     VALUES (@id, @workspace_id, @crew_id, @from_agent_id, @to_agent_id, @question, 'RUNNING', @asking_run_id, @run_id,
      @call_id, @created_at, @deadline_at, @asked_ms)`,
  ),
  end: db.prepare<[End], { id: string }>(
    `UPDATE peer_conversations SET status = @status, response = @response, error = @error, finished_at = @now,
      duration_ms = max(0, @ms - asked_ms) WHERE id = @id AND status = 'RUNNING' RETURNING id`,
  ),
  warn: db.prepare<{ id: string; warning: string }>('UPDATE peer_conversations SET warning = @warning WHERE id = @id'),
}))
