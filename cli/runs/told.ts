import type { Static } from 'typebox'
import { type Connection, locate, ProblemError } from '#client'
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

/** Everything that is known of a run, with what its log tells. */
export async function toldRun(connection: Connection, run: RunRow, names: Names): Promise<ToldRun> {
  const person = run.triggered_by ? names.personOf(run.triggered_by) : undefined
  const [log, who] = await Promise.all([logOf(connection, run.id), person])
  return { ...run, started_by: who ?? null, ...log, usage: usageOf(run), cost: run.cost_usd }
}

async function logOf(connection: Connection, runId: string): Promise<Pick<ToldRun, 'asked' | 'said' | 'tool_calls'>> {
  const turn = new Turn()
  const asked: string[] = []
  try {
    for await (const frame of lines<LogFrame>(connection, locate('runs.logs', { runId, query: {} }))) {
      if (frame.type.startsWith('stream.')) continue
      for (const event of turn.take(frame as RunFrame, true)) if (event.type === 'user') asked.push(event.text)
    }
  } catch (error) {
    // What is said in a room is for its members, whoever may see the run.
    if (!(error instanceof ProblemError) || error.problem.status !== 404) throw error
  }
  const tool_calls = [...turn.tools.values()].map(({ name, brief, status }) => ({ name, brief, status }))
  return { asked, said: turn.text, tool_calls }
}

const usageOf = ({ input_tokens, output_tokens, cache_read_tokens, reasoning_tokens }: RunRow): Usage | null =>
  input_tokens === null || output_tokens === null
    ? null
    : {
        input_tokens,
        output_tokens,
        ...(cache_read_tokens !== null && { cache_read_input_tokens: cache_read_tokens }),
        ...(reasoning_tokens !== null && { reasoning_output_tokens: reasoning_tokens }),
      }
