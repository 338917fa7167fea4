import type { Static } from 'typebox'
import { type Client, type Connection, locate } from '#client'
import { lines } from '#client/lines'
import type { LogFrame, RunFrame, Usage } from '#contract/frames'
import type { Run } from '#contract/runs'
import { Turn } from '../chat/turn.ts'
import type { Names } from '../journal/names.ts'

type RunRow = Static<typeof Run>

/** A run with what it was asked, said, did and spent. */
export interface ToldRun extends RunRow {
  /** Address of the person who started it, as long as that is a member. */
  started_by: string | null
  /** The question, and what people answered in between. */
  asked: string[]
  said: string
  tool_calls: { name: string; brief: string; status: string }[]
  /** Null while it goes on, and when the agent's client told none. */
  usage: Usage | null
  cost: number | null
}

/** Everything that is known of a run, from its log and its last entry in the journal. */
export async function toldRun(api: Client, connection: Connection, run: RunRow, names: Names): Promise<ToldRun> {
  const person = run.triggered_by ? names.personOf(run.triggered_by) : undefined
  const [log, spent, who] = await Promise.all([logOf(connection, run.id), spentIn(api, run), person])
  return { ...run, started_by: who ?? null, ...log, ...spent }
}

async function logOf(connection: Connection, runId: string): Promise<Pick<ToldRun, 'asked' | 'said' | 'tool_calls'>> {
  const turn = new Turn()
  const asked: string[] = []
  for await (const frame of lines<LogFrame>(connection, locate('runs.logs', { runId, query: {} }))) {
    if (frame.type.startsWith('stream.')) continue
    for (const event of turn.take(frame as RunFrame, true)) if (event.type === 'user') asked.push(event.text)
  }
  const tool_calls = [...turn.tools.values()].map(({ name, brief, status }) => ({ name, brief, status }))
  return { asked, said: turn.text, tool_calls }
}

const ends = 'run.completed,run.failed,run.cancelled,run.timeout'

async function spentIn(api: Client, { id, finished_at }: RunRow): Promise<Pick<ToldRun, 'usage' | 'cost'>> {
  if (!finished_at) return { usage: null, cost: null }
  const { entries } = await api.journal.list({ query: { run_id: id, entry_type: ends, limit: 1 } })
  const metadata = entries[0]?.payload?.['metadata'] as { usage?: Usage; total_cost_usd?: number } | undefined
  return { usage: metadata?.usage ?? null, cost: metadata?.total_cost_usd ?? null }
}
