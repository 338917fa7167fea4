import { statements } from '#kernel/store/db'

/** `parking`: it has asked a person, and its program is being ended. `parked`: it waits for the answer. */
export type Phase = 'queued' | 'launching' | 'running' | 'parking' | 'parked' | 'ended'
export type Outcome = 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMEOUT'

export interface Run {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  agent_name: string
  agent_slug: string
  chat_id: string | null
  /** The issue of its chat. */
  mission_id: string | null
  source: string
  source_id: string | null
  triggered_by: string | null
  trigger_type: string
  max_turns: number
  phase: Phase
  /** The stream in which its frames are numbered. */
  stream: string
  first_frame: number
  output_frame: number | null
  init_noted: number
  launch_json: string | null
  /** Milliseconds since 1970, like the other times. */
  created_at: number
  launched_at: number | null
  cancelled_at: number | null
  cancelled_by: string | null
  ended_at: number | null
  outcome: Outcome | null
  tokens: number | null
  /** Number of earlier programs of the run. */
  attempt: number
  worked_ms: number
  /** JSON of `Spent`. */
  spent_json: string | null
  /** Why it did not complete, where the journal may not say it. */
  reason: string | null
}

interface Ended extends Pick<Run, 'id' | 'tokens' | 'reason'> {
  at: number
  outcome: Outcome
  frame: number
}

export type NewRun = Omit<
  Run,
  | 'mission_id'
  | 'phase'
  | 'stream'
  | 'first_frame'
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
  | 'reason'
>

const columns = `id, workspace_id, crew_id, agent_id, agent_name, agent_slug, chat_id, mission_id, source, source_id,
  triggered_by, trigger_type, max_turns, phase, stream, first_frame, output_frame, init_noted, launch_json, created_at,
  launched_at, cancelled_at, cancelled_by, ended_at, outcome, tokens, attempt, worked_ms, spent_json, reason`

export const queries = statements((db) => ({
  /** Whether the agent touched a decoy, and nobody has decided about that. */
  tripped: db.prepare<[agent: string], { found: 1 }>(
    'SELECT 1 AS found FROM tripwire_trips WHERE agent_id = ? AND settled_at IS NULL LIMIT 1',
  ),
  insert: db.prepare<[NewRun & { stream: string }], Run>(
    `INSERT INTO runs (id, workspace_id, crew_id, agent_id, agent_name, agent_slug, chat_id, mission_id, source,
      source_id, triggered_by, trigger_type, max_turns, phase, stream, first_frame, created_at)
     VALUES (@id, @workspace_id, @crew_id, @agent_id, @agent_name, @agent_slug, @chat_id,
      (SELECT c.mission_id FROM chats c WHERE c.id = @chat_id), @source, @source_id, @triggered_by,
      @trigger_type, @max_turns, 'queued', @stream,
      1 + coalesce((SELECT max(last_frame) FROM runs WHERE stream = @stream), 0), @created_at)
     ON CONFLICT DO NOTHING RETURNING ${columns}`,
  ),
  find: db.prepare<[id: string], Run>(`SELECT ${columns} FROM runs WHERE id = ?`),
  open: db.prepare<[], Run>(`SELECT ${columns} FROM runs WHERE phase <> 'ended' ORDER BY created_at, id`),
  ofStream: db.prepare<[stream: string], Run>(`SELECT ${columns} FROM runs WHERE stream = ? AND phase <> 'ended'`),
  ofAgent: db.prepare<[agent: string], Run>(`SELECT ${columns} FROM runs WHERE agent_id = ? AND phase <> 'ended'`),
  ofCrew: db.prepare<[crew: string], Run>(`SELECT ${columns} FROM runs WHERE crew_id = ? AND phase <> 'ended'`),
  ofMission: db.prepare<[mission: string], Run>(
    `SELECT ${columns} FROM runs WHERE mission_id = ? AND phase <> 'ended'`,
  ),
  workingOfAgent: db.prepare<[agent: string], Run>(
    `SELECT ${columns} FROM runs WHERE agent_id = ? AND phase <> 'ended' AND phase <> 'parked'`,
  ),
  workingOfCrew: db.prepare<[crew: string], Run>(
    `SELECT ${columns} FROM runs WHERE crew_id = ? AND phase <> 'ended' AND phase <> 'parked'`,
  ),
  history: db.prepare<[agent: string, limit: number], Run>(
    `SELECT ${columns} FROM runs WHERE agent_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
  ),
  /** Agents of other runs of its crew that had a program after then. */
  besideInCrew: db
    .prepare<{ crew: string; run: string; since: number }, string>(
      `SELECT agent_id FROM runs
         WHERE crew_id = @crew AND launch_json IS NOT NULL AND ended_at > @since AND id <> @run
       UNION
       SELECT agent_id FROM runs
         WHERE crew_id = @crew AND phase <> 'ended' AND launch_json IS NOT NULL AND id <> @run`,
    )
    .pluck(),
  queued: db.prepare<[], { count: number }>(
    "SELECT count(*) AS count FROM runs WHERE phase <> 'ended' AND phase <> 'parked'",
  ),
  launch: db.prepare<[{ id: string; frame: number; launch: string; at: number }], Run>(
    `UPDATE runs SET phase = 'launching', output_frame = @frame, launch_json = @launch, launched_at = @at
     WHERE id = @id AND phase = 'queued' RETURNING ${columns}`,
  ),
  started: db.prepare<[id: string]>("UPDATE runs SET phase = 'running' WHERE id = ? AND phase = 'launching'"),
  /** Some clients choose the id of their session themselves. */
  noteInit: db.prepare<{ id: string; session: string | null }, { id: string }>(
    `UPDATE runs SET init_noted = 1, launch_json =
       CASE WHEN @session IS NULL THEN launch_json ELSE json_replace(launch_json, '$.session.id', @session) END
     WHERE id = @id AND init_noted = 0 RETURNING id`,
  ),
  /** No row when it says nothing new. */
  cancel: db.prepare<{ id: string; at: number; by: string | null }, Run>(
    `UPDATE runs SET cancelled_at = coalesce(cancelled_at, @at), cancelled_by = coalesce(cancelled_by, @by)
     WHERE id = @id AND phase <> 'ended' AND (cancelled_at IS NULL OR (cancelled_by IS NULL AND @by IS NOT NULL))
     RETURNING ${columns}`,
  ),
  /** The only statement that ends a run. No row when it has ended, or waits for a person and was not cancelled. */
  end: db.prepare<[Ended], Run>(
    `UPDATE runs SET phase = 'ended', ended_at = @at, outcome = @outcome, tokens = @tokens, reason = @reason,
      last_frame = max(last_frame, @frame)
     WHERE id = @id AND phase <> 'ended' AND (phase NOT IN ('parking', 'parked') OR cancelled_at IS NOT NULL)
     RETURNING ${columns}`,
  ),
  park: db.prepare<[id: string], Run>(
    `UPDATE runs SET phase = 'parking' WHERE id = ? AND phase IN ('launching', 'running')
      AND cancelled_at IS NULL RETURNING ${columns}`,
  ),
  settleParking: db.prepare<{ id: string; worked: number; spent: string; frame: number }, Run>(
    `UPDATE runs SET phase = 'parked', worked_ms = worked_ms + @worked, launched_at = NULL, spent_json = @spent,
      last_frame = max(last_frame, @frame)
     WHERE id = @id AND phase = 'parking' AND cancelled_at IS NULL RETURNING ${columns}`,
  ),
  resume: db.prepare<{ id: string; answer: string }, Run>(
    `UPDATE runs SET phase = 'queued', attempt = attempt + 1, source_id = @answer,
       source = CASE WHEN chat_id IS NULL THEN source ELSE 'answer' END,
       output_frame = NULL, first_frame = 1 + (SELECT max(last_frame) FROM runs one WHERE one.stream = runs.stream)
     WHERE id = @id AND phase = 'parked' RETURNING ${columns}`,
  ),
  startOver: db.prepare<{ id: string; frame: number }, Run>(
    `UPDATE runs SET phase = 'queued', attempt = attempt + 1, first_frame = @frame, output_frame = NULL,
      launch_json = NULL, launched_at = NULL
     WHERE id = @id AND phase IN ('launching', 'running') AND cancelled_at IS NULL RETURNING ${columns}`,
  ),
  skipFrames: db.prepare<[first: number, id: string]>(
    "UPDATE runs SET first_frame = ? WHERE id = ? AND phase = 'queued'",
  ),
  discarded: db.prepare<[id: string]>('UPDATE runs SET discarded = 1 WHERE id = ?'),
  left: db.prepare<[crew: string], Run>(
    `SELECT ${columns} FROM runs WHERE crew_id = ? AND phase = 'ended' AND discarded = 0
      AND launch_json IS NOT NULL`,
  ),
  lastFrame: db
    .prepare<[stream: string], number>('SELECT coalesce(max(last_frame), 0) FROM runs WHERE stream = ?')
    .pluck(),
}))

/** Statements that scan a table, with the reason. */
export const scans = {
  open: 'an index of the few that have not ended',
  queued: 'an index of the few that have not ended',
}
