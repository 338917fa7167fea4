import { statements } from '#kernel/store/db'

/** `parking`: it has asked a person, and its program is being ended. `parked`: it waits for the answer without one. */
export type Phase = 'queued' | 'launching' | 'running' | 'parking' | 'parked' | 'ended'
export type Outcome = 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMEOUT'

export interface Run {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  agent_name: string
  agent_slug: string
  chat_id: string
  message_id: string
  triggered_by: string | null
  trigger_type: string
  max_turns: number
  phase: Phase
  first_frame: number
  output_frame: number | null
  init_noted: number
  launch_json: string | null
  /** Milliseconds since 1970, as the others. */
  created_at: number
  launched_at: number | null
  cancelled_at: number | null
  cancelled_by: string | null
  ended_at: number | null
  outcome: Outcome | null
  tokens: number | null
  /** How many programs of the run have ended before this one. */
  attempt: number
  worked_ms: number
  /** JSON of `Spent`. */
  spent_json: string | null
}

export type NewRun = Omit<
  Run,
  | 'phase'
  | 'output_frame'
  | 'init_noted'
  | 'launch_json'
  | 'launched_at'
  | 'cancelled_at'
  | 'cancelled_by'
  | 'ended_at'
  | 'outcome'
  | 'tokens'
  | 'attempt'
  | 'worked_ms'
  | 'spent_json'
>

const columns = `id, workspace_id, crew_id, agent_id, agent_name, agent_slug, chat_id, message_id, triggered_by, trigger_type, max_turns, phase, first_frame, output_frame,
  init_noted, launch_json, created_at, launched_at, cancelled_at, cancelled_by, ended_at, outcome, tokens, attempt,
  worked_ms, spent_json`

export const queries = statements((db) => ({
  insert: db.prepare<[NewRun], { id: string }>(
    `INSERT INTO run_executions (id, workspace_id, crew_id, agent_id, agent_name, agent_slug, chat_id, message_id,
      triggered_by, trigger_type, max_turns, phase, first_frame, created_at)
     VALUES (@id, @workspace_id, @crew_id, @agent_id, @agent_name, @agent_slug, @chat_id, @message_id, @triggered_by,
     @trigger_type, @max_turns, 'queued', @first_frame, @created_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  find: db.prepare<[id: string], Run>(`SELECT ${columns} FROM run_executions WHERE id = ?`),
  open: db.prepare<[], Run>(`SELECT ${columns} FROM run_executions WHERE phase <> 'ended' ORDER BY created_at, id`),
  ofChat: db.prepare<[chat: string], Run>(
    `SELECT ${columns} FROM run_executions WHERE chat_id = ? AND phase <> 'ended'`,
  ),
  ofAgent: db.prepare<[agent: string], Run>(
    `SELECT ${columns} FROM run_executions WHERE agent_id = ? AND phase <> 'ended'`,
  ),
  ofCrew: db.prepare<[crew: string], Run>(
    `SELECT ${columns} FROM run_executions WHERE crew_id = ? AND phase <> 'ended'`,
  ),
  workingOfAgent: db.prepare<[agent: string], Run>(
    `SELECT ${columns} FROM run_executions WHERE agent_id = ? AND phase <> 'ended' AND phase <> 'parked'`,
  ),
  workingOfCrew: db.prepare<[crew: string], Run>(
    `SELECT ${columns} FROM run_executions WHERE crew_id = ? AND phase <> 'ended' AND phase <> 'parked'`,
  ),
  history: db.prepare<[agent: string, limit: number], Run>(
    `SELECT ${columns} FROM run_executions WHERE agent_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
  ),
  queued: db.prepare<[], { count: number }>(
    "SELECT count(*) AS count FROM run_executions WHERE phase <> 'ended' AND phase <> 'parked'",
  ),
  launch: db.prepare<[{ id: string; frame: number; launch: string; at: number }], Run>(
    `UPDATE run_executions SET phase = 'launching', output_frame = @frame, launch_json = @launch, launched_at = @at
     WHERE id = @id AND phase = 'queued' RETURNING ${columns}`,
  ),
  started: db.prepare<[id: string]>("UPDATE run_executions SET phase = 'running' WHERE id = ? AND phase = 'launching'"),
  noteInit: db.prepare<[id: string], { id: string }>(
    'UPDATE run_executions SET init_noted = 1 WHERE id = ? AND init_noted = 0 RETURNING id',
  ),
  cancel: db.prepare<[at: number, by: string | null, id: string], Run>(
    `UPDATE run_executions SET cancelled_at = coalesce(cancelled_at, ?), cancelled_by = coalesce(cancelled_by, ?)
     WHERE id = ? AND phase <> 'ended' RETURNING ${columns}`,
  ),
  /**
   * The one place where a run ends: no row comes back when it had ended before, or waits for a person and nobody wishes
   * its end.
   */
  end: db.prepare<[at: number, outcome: Outcome, tokens: number | null, id: string], Run>(
    `UPDATE run_executions SET phase = 'ended', ended_at = ?, outcome = ?, tokens = ?
     WHERE id = ? AND phase <> 'ended' AND (phase NOT IN ('parking', 'parked') OR cancelled_at IS NOT NULL)
     RETURNING ${columns}`,
  ),
  park: db.prepare<[id: string], Run>(
    `UPDATE run_executions SET phase = 'parking' WHERE id = ? AND phase IN ('launching', 'running')
      AND cancelled_at IS NULL RETURNING ${columns}`,
  ),
  settleParking: db.prepare<{ id: string; worked: number; spent: string }, Run>(
    `UPDATE run_executions SET phase = 'parked', worked_ms = worked_ms + @worked, launched_at = NULL,
      spent_json = @spent
     WHERE id = @id AND phase = 'parking' AND cancelled_at IS NULL RETURNING ${columns}`,
  ),
  resume: db.prepare<{ id: string; message: string }, Run>(
    `UPDATE run_executions SET phase = 'queued', attempt = attempt + 1, message_id = @message, output_frame = NULL,
       first_frame = 1 + (SELECT last_frame FROM chats WHERE chats.id = chat_id)
     WHERE id = @id AND phase = 'parked' RETURNING ${columns}`,
  ),
  startOver: db.prepare<{ id: string; frame: number }, Run>(
    `UPDATE run_executions SET phase = 'queued', attempt = attempt + 1, first_frame = @frame, output_frame = NULL,
      launch_json = NULL, launched_at = NULL
     WHERE id = @id AND phase IN ('launching', 'running') AND cancelled_at IS NULL RETURNING ${columns}`,
  ),
  skipFrames: db.prepare<[first: number, id: string]>(
    "UPDATE run_executions SET first_frame = ? WHERE id = ? AND phase = 'queued'",
  ),
  discarded: db.prepare<[id: string]>('UPDATE run_executions SET discarded = 1 WHERE id = ?'),
  left: db.prepare<[crew: string], Run>(
    `SELECT ${columns} FROM run_executions WHERE crew_id = ? AND phase = 'ended' AND discarded = 0
      AND launch_json IS NOT NULL`,
  ),
  lastFrame: db.prepare<[chat: string], { last_frame: number }>('SELECT last_frame FROM chats WHERE id = ?'),
  settleFrames: db.prepare<[last: number, chat: string]>(
    'UPDATE chats SET last_frame = max(last_frame, ?) WHERE id = ?',
  ),
}))

/** Statements that read a whole table, and why they may. */
export const scans = {
  open: 'an index of the few that have not ended',
  queued: 'an index of the few that have not ended',
}
