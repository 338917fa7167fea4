import type { RunStatus } from '#contract/runs'
import { type Db, statements } from '#kernel/store/db'

/** What a run used and cost; null where its client did not tell. */
export interface Spending {
  input_tokens: number | null
  output_tokens: number | null
  cache_read_tokens: number | null
  cache_write_tokens: number | null
  reasoning_tokens: number | null
  turns: number | null
  cost_usd: number | null
  cost_source: 'client' | 'prices' | null
  prices_as_of: string | null
}

export interface Row extends Spending {
  seq: number
  id: string
  workspace_id: string
  agent_id: string | null
  chat_id: string | null
  triggered_by: string | null
  trigger_type: string
  status: RunStatus
  started: number
  finished: number | null
  error_message: string | null
  exit_code: number | null
  /** JSON */
  metadata: string
  /** JSON of `Details` */
  details: string
  queued: number
}

export interface NamedRow extends Row {
  agent_name: string | null
  agent_slug: string | null
  crew_name: string | null
}

/** Further members of a run; the newest entry that names one wins. */
export interface Details {
  /** Since when it waits for a person, and for what. */
  parked_at?: string
  inbox_item_id?: string
  model?: string
  cli_version?: string
  api_key_source?: string
  permission_mode?: string
  session_id?: string
  mcp_server_errors?: unknown[]
  permission_denials?: unknown[]
  left_out_lines?: number
  left_out_bytes?: number
}

const columns = `r.seq, r.id, r.workspace_id, r.agent_id, r.chat_id, r.triggered_by, r.trigger_type, r.status,
  r.started, r.finished, r.error_message, r.exit_code, r.metadata, r.details, r.input_tokens, r.output_tokens,
  r.cache_read_tokens, r.cache_write_tokens, r.reasoning_tokens, r.turns, r.cost_usd, r.cost_source, r.prices_as_of,
  EXISTS (SELECT 1 FROM runs q WHERE q.id = r.id AND q.phase = 'queued') AS queued`
const named = `${columns}, a.name AS agent_name, a.slug AS agent_slug, c.name AS crew_name`
const names = `LEFT JOIN agents a ON a.id = r.agent_id AND a.workspace_id = r.workspace_id
  LEFT JOIN crews c ON c.id = coalesce(r.crew_id, a.crew_id) AND c.workspace_id = r.workspace_id`

export interface RunFilter {
  workspace: string
  status?: string
  waiting?: 1
  agent?: string
  trigger?: string
  tag?: string
}

const conditions: Record<Exclude<keyof RunFilter, 'workspace'>, string> = {
  status: 'status = @status',
  waiting: `status = 'RUNNING'
    AND id IN (SELECT id FROM runs WHERE phase <> 'ended' AND phase IN ('parking', 'parked'))`,
  agent: 'agent_id = @agent',
  trigger: 'trigger_type = @trigger',
  tag: 'seq IN (SELECT seq FROM run_tags WHERE workspace_id = @workspace AND tag = @tag)',
}

export const queries = statements((db) => ({
  start: db.prepare<[Record<string, unknown>]>(
    `INSERT INTO run_records (seq, id, workspace_id, crew_id, agent_id, mission_id, chat_id, triggered_by, trigger_type,
      status, started, metadata, details)
     VALUES (@seq, @id, @workspace, @crew, @agent, @mission, @chat, @triggered_by, @trigger_type, 'RUNNING', @ts,
     @metadata, @details)
     ON CONFLICT DO NOTHING`,
  ),
  tag: db.prepare<[workspace: string, tag: string, seq: number]>(
    'INSERT INTO run_tags (workspace_id, tag, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  ),
  describe: db.prepare<[Record<string, unknown>]>(
    `UPDATE run_records SET details = json_patch(details, @details)
     WHERE workspace_id = @workspace AND id = @id AND status = 'RUNNING'`,
  ),
  end: db.prepare<[Record<string, unknown>]>(
    `UPDATE run_records SET status = @status, finished = @ts, error_message = @error_message, exit_code = @exit_code,
      input_tokens = @input_tokens, output_tokens = @output_tokens, cache_read_tokens = @cache_read_tokens,
      cache_write_tokens = @cache_write_tokens, reasoning_tokens = @reasoning_tokens, turns = @turns,
      cost_usd = @cost_usd, cost_source = @cost_source, prices_as_of = @prices_as_of,
      details = json_patch(details, @details)
     WHERE workspace_id = @workspace AND id = @id AND status = 'RUNNING'`,
  ),
}))

export const reads = statements((db) => ({
  find: db.prepare<[workspace: string, id: string], NamedRow>(
    `SELECT ${named} FROM run_records r ${names} WHERE r.workspace_id = ? AND r.id = ?`,
  ),
  ofAgent: db.prepare<[workspace: string, agent: string], Row>(
    `SELECT ${columns} FROM run_records r WHERE r.workspace_id = ? AND r.agent_id = ?
      ORDER BY r.started DESC, r.seq DESC LIMIT 100`,
  ),
  agent: db.prepare<[workspace: string, id: string], { id: string }>(
    'SELECT id FROM agents WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
  ),
  stats: db.prepare<[{ workspace: string; midnight: number }], { running: number; today: number; failed: number }>(
    `SELECT (SELECT count(*) FROM run_records WHERE workspace_id = @workspace AND status = 'RUNNING') AS running,
            (SELECT count(*) FROM run_records WHERE workspace_id = @workspace AND started >= @midnight) AS today,
            (SELECT count(*) FROM run_records WHERE workspace_id = @workspace AND finished >= @midnight
            AND status IN ('FAILED', 'TIMEOUT')) AS failed`,
  ),
}))

const prepared = statements((db) => new Map<string, ReturnType<typeof prepareList>>().set('', prepareList(db, '')))

function prepareList(db: Db, where: string) {
  const from = `FROM run_records WHERE workspace_id = @workspace${where}`
  return {
    page: db.prepare<[RunFilter & { limit: number; offset: number }], NamedRow>(
      `SELECT ${named} FROM (SELECT seq ${from} ORDER BY started DESC, seq DESC LIMIT @limit OFFSET @offset) k
       CROSS JOIN run_records r ON r.seq = k.seq ${names} ORDER BY r.started DESC, r.seq DESC`,
    ),
    total: db.prepare<[RunFilter], number>(`SELECT count(*) ${from}`).pluck(),
  }
}

/** The two statements of a list with these filters, prepared on first use. */
export function listing(db: Db, filter: RunFilter) {
  const used = (Object.keys(conditions) as (keyof typeof conditions)[]).filter((name) => filter[name] !== undefined)
  const where = used.map((name) => ` AND ${conditions[name]}`).join('')
  const sets = prepared(db)
  const known = sets.get(where)
  if (known) return known
  const made = prepareList(db, where)
  sets.set(where, made)
  return made
}
