import type { Entry } from '#contract/entries'
import type { RunStatus } from '#contract/runs'
import type { Projection } from '#kernel/journal/journal'
import type { Db } from '#kernel/store/db'
import { type Details, queries, type Spending } from './queries.ts'

/** The entry types that end a run. */
const terminals: Record<string, RunStatus> = {
  'run.completed': 'COMPLETED',
  'run.failed': 'FAILED',
  'run.cancelled': 'CANCELLED',
  'run.timeout': 'TIMEOUT',
}

/** Projects runs from the journal: a run begins with its first `run.started` and ends with its first terminal entry. */
export function projectRuns(db: Db): Projection {
  const write = queries(db)
  return (entry, seq, ts) => {
    if (!entry.trace_id || !entry.entry_type.startsWith('run.')) return
    const status = terminals[entry.entry_type]
    const describe = (known: object) => write.describe.run({ ...keyOf(entry), details: JSON.stringify(known) })
    if (status) write.end.run({ ...keyOf(entry), ts, status, ...ending(entry) })
    else if (entry.entry_type === 'run.started') start(write, seq, entry, ts)
    else if (entry.entry_type === 'run.session_init') describe(details(entry.payload))
    else if (entry.entry_type === 'run.parked')
      describe({ parked_at: new Date(ts).toISOString(), inbox_item_id: textOf(entry.payload?.['inbox_item_id']) })
    else if (entry.entry_type === 'run.resumed') describe(notParked)
  }
}

const keyOf = ({ workspace_id, trace_id }: Entry) => ({ workspace: workspace_id, id: trace_id })

function start(write: ReturnType<typeof queries>, seq: number, entry: Entry, ts: number): void {
  const { trigger_type, chat_id } = entry.payload ?? {}
  const metadata = objectOf(entry.payload?.['metadata'])
  const row = {
    ...keyOf(entry),
    seq,
    ts,
    crew: entry.crew_id ?? null,
    agent: entry.agent_id ?? null,
    mission: entry.mission_id ?? null,
    chat: textOf(chat_id),
    triggered_by: entry.actor_id ?? null,
    trigger_type: textOf(trigger_type) ?? 'USER',
    metadata: JSON.stringify(metadata),
    details: JSON.stringify(details(metadata)),
  }
  if (write.start.run(row).changes === 0) return
  const tags = Array.isArray(metadata['tags']) ? metadata['tags'].filter((tag) => typeof tag === 'string') : []
  for (const tag of tags) write.tag.run(entry.workspace_id, tag, seq)
}

function ending({ payload }: Entry) {
  const { exit_code, error_message, metadata } = payload ?? {}
  return {
    exit_code: Number.isInteger(exit_code) ? exit_code : null,
    error_message: textOf(error_message),
    ...spending(objectOf(metadata)),
    details: JSON.stringify({ ...details(objectOf(metadata)), ...notParked }),
  }
}

/** What the run used and cost, as far as its client told. */
function spending(metadata: Record<string, unknown>): Spending {
  const usage = objectOf(metadata['usage'])
  const count = (value: unknown) => (Number.isInteger(value) ? (value as number) : null)
  const cost = metadata['total_cost_usd']
  const known = typeof cost === 'number' && Number.isFinite(cost) && cost >= 0
  return {
    input_tokens: count(metadata['input_tokens']),
    output_tokens: count(metadata['output_tokens']),
    cache_read_tokens: count(usage['cache_read_input_tokens']),
    cache_write_tokens: count(usage['cache_creation_input_tokens']),
    reasoning_tokens: count(usage['reasoning_output_tokens']),
    turns: count(metadata['num_turns']),
    cost_usd: known ? cost : null,
    cost_source: known ? (metadata['cost_source'] === 'prices' ? 'prices' : 'client') : null,
    prices_as_of: known ? textOf(metadata['prices_as_of']) : null,
  }
}

/** Clears the members of a parked run. */
const notParked = { parked_at: null, inbox_item_id: null }

const textOf = (value: unknown) => (typeof value === 'string' && value ? value : null)
const objectOf = (value: unknown) =>
  value && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** The details that an entry names. */
function details(from: Record<string, unknown> | undefined): Details {
  const known = [
    'model',
    'cli_version',
    'api_key_source',
    'permission_mode',
    'session_id',
    'mcp_server_errors',
    'permission_denials',
    'left_out_lines',
    'left_out_bytes',
  ] as const
  return Object.fromEntries(known.map((name) => [name, from?.[name]])) as Details
}
