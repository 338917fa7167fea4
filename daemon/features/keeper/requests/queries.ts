import type { KeeperRequestType, KeeperState } from '#contract/keeper-requests'
import type { Page } from '#kernel/http/fields'
import { statements } from '#kernel/store/db'
import type { Precedent, Spoken } from './prompt.ts'

export interface Row {
  seq: number
  id: string
  workspace_id: string
  crew_id: string | null
  agent_id: string | null
  credential_id: string | null
  security_level: number | null
  request_type: KeeperRequestType
  task_id: string | null
  run_id: string | null
  chat_id: string | null
  /** The call of a tool that is judged, as its client names it. */
  call_id: string | null
  intent: string
  command: string | null
  env_var: string | null
  decision: KeeperState
  reason: string | null
  risk_score: number | null
  rule: string | null
  exit_code: number | null
  prompt: string | null
  raw_response: string | null
  judge_profile: string | null
  used_at: string | null
  settled_by_user_id: string | null
  created_at: string
  decided_at: string | null
  agent_name: string | null
  /** The person who created the agent; null when unknown. */
  initiator: string | null
  credential_name: string | null
}

export type NewRow = Pick<
  Row,
  | 'id'
  | 'workspace_id'
  | 'crew_id'
  | 'agent_id'
  | 'credential_id'
  | 'security_level'
  | 'request_type'
  | 'task_id'
  | 'run_id'
  | 'chat_id'
  | 'call_id'
  | 'intent'
  | 'command'
  | 'env_var'
  | 'created_at'
>

export interface EventRow {
  seq: number
  state: KeeperState
  reason: string | null
  risk_score: number | null
  exit_code: number | null
  actor_type: 'agent' | 'keeper' | 'user'
  actor_id: string | null
  recorded_at: string
}

interface Decided {
  id: string
  /** What it has to be still. */
  before: KeeperState
  decision: KeeperState
  reason: string
  risk: number
  rule: string
  prompt: string | null
  raw: string | null
  profile: string | null
  user: string | null
  now: string
}

const select = `SELECT r.seq, r.id, r.workspace_id, r.crew_id, r.agent_id, r.credential_id, r.security_level,
  r.request_type, r.task_id, r.run_id, r.chat_id, r.call_id, r.intent, r.command, r.env_var, r.decision, r.reason,
  r.risk_score, r.rule, r.exit_code, r.prompt, r.raw_response, r.judge_profile, r.used_at, r.settled_by_user_id,
  r.created_at, r.decided_at, a.name AS agent_name, a.created_by_user_id AS initiator, c.name AS credential_name
  FROM keeper_requests r LEFT JOIN agents a ON a.id = r.agent_id LEFT JOIN credentials c ON c.id = r.credential_id`
const same = `r.agent_id = @agent AND r.credential_id = @credential AND r.request_type = @type
  AND r.command IS @command AND r.env_var IS @env_var`

interface Same {
  agent: string
  credential: string
  type: KeeperRequestType
  command: string | null
  env_var: string | null
}

export const queries = statements((db) => ({
  insert: db.prepare<NewRow>(
    `INSERT INTO keeper_requests (id, workspace_id, crew_id, agent_id, credential_id, security_level, request_type,
      task_id, run_id, chat_id, call_id, intent, command, env_var, decision, created_at)
     VALUES (@id, @workspace_id, @crew_id, @agent_id, @credential_id, @security_level, @request_type, @task_id, @run_id,
      @chat_id, @call_id, @intent, @command, @env_var, 'PENDING', @created_at)`,
  ),
  /** No row when it is decided already. */
  decide: db.prepare<Decided, { id: string }>(
    `UPDATE keeper_requests SET decision = @decision, reason = @reason, risk_score = @risk, rule = @rule,
      prompt = coalesce(@prompt, prompt), raw_response = coalesce(@raw, raw_response),
      judge_profile = coalesce(@profile, judge_profile), settled_by_user_id = @user, decided_at = @now
     WHERE id = @id AND decision = @before RETURNING id`,
  ),
  exited: db.prepare<[code: number, id: string]>('UPDATE keeper_requests SET exit_code = ? WHERE id = ?'),
  /** The first call uses it; later ones get no row. */
  use: db.prepare<[now: string, id: string], { id: string }>(
    `UPDATE keeper_requests SET used_at = ? WHERE id = ? AND used_at IS NULL AND decision = 'ALLOW' RETURNING id`,
  ),
  byId: db.prepare<[id: string], Row>(`${select} WHERE r.id = ?`),
  find: db.prepare<[workspace: string, id: string], Row>(`${select} WHERE r.workspace_id = ? AND r.id = ?`),
  /** The newest that people have yet to decide, or that is being judged. */
  openSame: db.prepare<Same, Row>(
    `${select} WHERE ${same} AND r.decision IN ('PENDING', 'ESCALATE') ORDER BY r.seq DESC LIMIT 1`,
  ),
  /** What people allowed and nobody carried out yet. */
  allowedSame: db.prepare<Same & { since: string }, Row>(
    `${select} WHERE ${same} AND r.decision = 'ALLOW' AND r.settled_by_user_id IS NOT NULL AND r.used_at IS NULL
      AND r.decided_at >= @since ORDER BY r.seq DESC LIMIT 1`,
  ),
  list: db.prepare<
    { workspace: string; decision: string | null; type: string | null; agent: string | null } & Page,
    Row
  >(
    `${select} WHERE r.workspace_id = @workspace AND (@decision IS NULL OR r.decision = @decision)
      AND (@type IS NULL OR r.request_type = @type) AND (@agent IS NULL OR r.agent_id = @agent)
     ORDER BY r.seq DESC LIMIT @limit OFFSET @offset`,
  ),
  pending: db.prepare<[], Pick<Row, 'id' | 'request_type'>>(
    "SELECT id, request_type FROM keeper_requests WHERE decision = 'PENDING'",
  ),
  ofCall: db.prepare<[run: string, call: string], { id: string }>(
    'SELECT id FROM keeper_requests WHERE run_id = ? AND call_id = ?',
  ),
  addEvent: db.prepare<Omit<EventRow, 'seq'> & { request_id: string; workspace_id: string }>(
    `INSERT INTO keeper_request_events (request_id, workspace_id, state, reason, risk_score, exit_code, actor_type,
      actor_id, recorded_at)
     VALUES (@request_id, @workspace_id, @state, @reason, @risk_score, @exit_code, @actor_type,
      @actor_id, @recorded_at)`,
  ),
  events: db.prepare<[request: string], EventRow>(
    `SELECT seq, state, reason, risk_score, exit_code, actor_type, actor_id, recorded_at FROM keeper_request_events
     WHERE request_id = ? ORDER BY seq`,
  ),
  clearEvents: db.prepare<[workspace: string]>(
    `DELETE FROM keeper_request_events WHERE workspace_id = ? AND request_id IN
      (SELECT id FROM keeper_requests r WHERE r.workspace_id = keeper_request_events.workspace_id
        AND r.decision NOT IN ('PENDING', 'ESCALATE'))`,
  ),
  clear: db.prepare<[workspace: string]>(
    "DELETE FROM keeper_requests WHERE workspace_id = ? AND decision NOT IN ('PENDING', 'ESCALATE')",
  ),
  /** Settled ones that are older than their workspace keeps the records of credentials. Their events stay. */
  forget: db.prepare<{ workspace: string; before: string; most: number }>(
    `DELETE FROM keeper_requests WHERE seq IN
      (SELECT seq FROM keeper_requests WHERE workspace_id = @workspace AND decision NOT IN ('PENDING', 'ESCALATE')
        AND created_at < @before ORDER BY seq LIMIT @most)`,
  ),
  hasEvents: db.prepare<[request: string, workspace: string], { found: 1 }>(
    'SELECT 1 AS found FROM keeper_request_events WHERE request_id = ? AND workspace_id = ? LIMIT 1',
  ),
  precedents: db.prepare<[workspace: string, level: number, most: number], Precedent>(
    `SELECT r.intent, c.name AS credential_name, r.decision, r.reason FROM keeper_requests r
     LEFT JOIN credentials c ON c.id = r.credential_id
     WHERE r.workspace_id = ? AND r.security_level = ? AND r.settled_by_user_id IS NOT NULL
     ORDER BY r.seq DESC LIMIT ?`,
  ),
  everAllowed: db.prepare<[agent: string], { found: 1 }>(
    "SELECT 1 AS found FROM keeper_requests WHERE agent_id = ? AND decision = 'ALLOW' AND security_level >= 3 LIMIT 1",
  ),
  priors: db.prepare<[agent: string, credential: string], { n: number; allowed: number; denied: number }>(
    `SELECT count(*) AS n, coalesce(sum(decision = 'ALLOW'), 0) AS allowed,
      coalesce(sum(decision = 'DENY'), 0) AS denied FROM keeper_requests
     WHERE agent_id = ? AND credential_id = ? AND decision <> 'PENDING'`,
  ),
  denies: db.prepare<[agent: string, since: string], { n: number }>(
    `SELECT count(*) AS n FROM keeper_requests WHERE agent_id = ? AND decision = 'DENY' AND created_at >= ?`,
  ),
  work: db.prepare<[agent: string], { what: string }>(
    `SELECT task AS what FROM assignments WHERE assigned_to_id = ? AND finished_at IS NULL LIMIT 3`,
  ),
  issues: db.prepare<[agent: string], { what: string }>(
    `SELECT title AS what FROM missions WHERE assignee_type = 'agent' AND assignee_id = ? AND completed_at IS NULL
     LIMIT 3`,
  ),
  said: db.prepare<[chat: string, agent: string], Spoken>(
    `SELECT m.role, m.content FROM chat_messages m JOIN chats h ON h.id = m.chat_id
     WHERE m.chat_id = ? AND h.agent_id = ? ORDER BY m.seq DESC LIMIT 10`,
  ),
  crew: db.prepare<[id: string], { name: string }>('SELECT name FROM crews WHERE id = ?'),
}))
