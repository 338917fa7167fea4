import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { BareRun, Run, runs } from '#contract/runs'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { timeAt } from '#kernel/time-at'
import { mayRead, openly, withheld } from '../chains/service.ts'
import { queries } from '../queries.ts'
import { type Details, listing, type NamedRow, type Row, reads } from './queries.ts'

/** What is on record of a run: what it cost, and why it failed. */
export function recordOf(
  { db }: App,
  workspace: string,
  id: string,
): { cost_usd: number | null; error_message: string | null } {
  const { cost_usd = null, error_message = null } = reads(db).find.get(workspace, id) ?? {}
  return { cost_usd, error_message }
}

function bare(row: Row): Static<typeof BareRun> {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    agent_id: row.agent_id,
    chat_id: row.chat_id,
    triggered_by: row.triggered_by,
    trigger_type: row.trigger_type,
    status: row.status,
    started_at: timeAt(row.started),
    finished_at: row.finished === null ? null : timeAt(row.finished),
    error_message: row.error_message,
    exit_code: row.exit_code,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    created_at: timeAt(row.started),
    ...spent(row),
    ...(JSON.parse(row.details) as Details),
    ...(row.queued && { queued: true }),
  }
}

const spent = (row: Row) => ({
  input_tokens: row.input_tokens,
  output_tokens: row.output_tokens,
  cache_read_tokens: row.cache_read_tokens,
  cache_write_tokens: row.cache_write_tokens,
  reasoning_tokens: row.reasoning_tokens,
  cost_usd: row.cost_usd,
  cost_source: row.cost_source,
  prices_as_of: row.prices_as_of,
})

const full = (row: NamedRow): Static<typeof Run> => ({
  ...bare(row),
  agent_name: row.agent_name,
  agent_slug: row.agent_slug,
  crew_name: row.crew_name,
})

/** Parses a whole number within bounds; else returns the fallback. */
function within(value: number | string | undefined, fallback: number, max: number): number {
  const number = Number(value)
  return value !== '' && Number.isInteger(number) && number >= 1 && number <= max ? number : fallback
}

/** The filters of a list. An empty parameter does not filter. */
const asked = ({ status, waiting, agent_id, trigger, tag }: Call<typeof runs.list>['query']) => ({
  status: status || undefined,
  ...(waiting && { waiting: 1 as const }),
  agent: agent_id || undefined,
  trigger: trigger || undefined,
  tag: tag || undefined,
})

export function list({ db, clock }: App, { actor, query }: Call<typeof runs.list>) {
  const filter = { workspace: actor.workspace, ...asked(query) }
  const page = within(query.page, 1, 1_000_000)
  const limit = within(query.limit, 50, 100)
  const statements = listing(db, filter)
  const total = statements.total.get(filter)!
  const rows = statements.page.all({ ...filter, limit, offset: (page - 1) * limit })
  const now = clock()
  const stats = reads(db).stats.get({ workspace: actor.workspace, midnight: now - (now % 86_400_000) })!
  return { data: rows.map(full), stats, pagination: { page, limit, total, total_pages: Math.ceil(total / limit) } }
}

export function show(app: App, { actor, runId }: Call<typeof runs.show>) {
  const row = reads(app.db).find.get(actor.workspace, runId)
  if (!row) throw problem('not_found')
  return { ...full(row), ...(row.error_message === withheld && { error_message: reasonFor(app, actor.id, runId) }) }
}

/** Why a run in a private room did not complete, for whom may read it. */
function reasonFor(app: App, reader: string, id: string): string {
  const run = queries(app.db).find.get(id)
  return (run && mayRead(app, run, reader) && run.reason) || withheld
}

export function ofAgent({ db }: App, { actor, agentId }: Call<typeof runs.ofAgent>) {
  if (!reads(db).agent.get(actor.workspace, agentId)) throw problem('not_found')
  return reads(db).ofAgent.all(actor.workspace, agentId).map(bare)
}

/** Confidence below this is a warning in the journal. */
const doubtful = 0.4

export function reportConfidence(app: App, { actor, body }: Call<typeof runs.reportConfidence>) {
  const { workspace_id, crew_id, agent_id, run_id, confidence, reason } = body
  const agent = reads(app.db).agent.get(workspace_id, agent_id)
  if (!agent) throw problem('not_found', { field: 'agent_id' })
  const run = run_id ? queries(app.db).find.get(run_id) : undefined
  const { entry } = app.journal(
    fact(
      'run.confidence',
      { confidence, ...(reason && { reason: openly(app, run, reason) }) },
      {
        workspace_id,
        crew_id,
        agent_id,
        ...actorOf(actor),
        ...(run_id && { trace_id: run_id }),
        ...(confidence < doubtful && { severity: 'warn' as const }),
      },
    ),
  )
  return { id: entry.id }
}
