import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { beginRun, wishCancel } from '../../runs/service.ts'
import { end } from '../endings/service.ts'
import { queries, type Row } from '../queries.ts'
import { budgetOf } from '../rules.ts'
import { broadcast, broadcastUnqueued, factOf } from '../telling.ts'

/** Refusals that may be over in a moment. */
const passing = new Set(['runtime_unavailable', 'unavailable'])

/** Puts an assignment in the queue of its crew; when a place is free and nobody waits before it, it begins at once. */
export function admit(app: App, { id, crew_id }: Row): Row {
  const { enqueue, byId } = queries(app.db)
  if (!enqueue.get({ id, now: app.now() })) return byId.get(id)!
  pump(app, crew_id, id)
  const row = byId.get(id)!
  if (row.status !== 'QUEUED') return row
  app.journal(factOf(app, 'assignment.queued', row))
  broadcast(app, row, 'queued')
  return row
}

/** Begins what waits in a crew, oldest first, as long as places are free; answers how many. */
export function pump(app: App, crewId: string, admitted?: string): number {
  const { running, next } = queries(app.db)
  const budget = budgetIn(app, crewId)
  let begun = 0
  while (running.get(crewId)!.n < budget) {
    const row = next.get(crewId)
    const outcome = row ? begin(app, row) : 'later'
    if (!row || outcome === 'later') break
    if (outcome === 'failed') continue
    if (row.id !== admitted) broadcastUnqueued(app, row)
    begun++
  }
  return begun
}

function budgetIn(app: App, crewId: string): number {
  const { most, memory } = queries(app.db).crew.get(crewId)!
  return budgetOf(most, memory ?? app.config.defaultMemoryMb)
}

/** Begins a run for an assignment. One that comes back to it tells it what its own assignments came to. */
function begin(app: App, row: Row): 'begun' | 'later' | 'failed' {
  const id = newId(app.clock())
  const { begin: mark, undelivered, deliver, byId } = queries(app.db)
  try {
    beginRun(app, wantedOf(app, row, id))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (passing.has(error.code)) return 'later'
    end(app, row, { status: 'FAILED', error: error.message })
    return 'failed'
  }
  mark.get({ id: row.id, run: id, now: app.now() })
  for (const told of undelivered.all(row.id)) deliver.get({ id: told.id, delivery: 'turn', run: id })
  const begun = byId.get(row.id)!
  app.journal(factOf(app, 'assignment.running', begun))
  broadcast(app, begun, 'running')
  return 'begun'
}

function wantedOf(app: App, row: Row, id: string) {
  const agent = agentById(app, row.assigned_to_id)
  if (agent?.crew_id !== row.crew_id)
    throw problem('agent_crewless', { detail: `@${row.to_slug} is no longer in the crew in which it was to work` })
  return {
    id,
    agent,
    source: 'assignment',
    source_id: row.id,
    chat_id: null,
    triggered_by: row.triggered_by,
    trigger_type: 'ASSIGNMENT',
    tags: ['assignment'],
    by: { actor_type: 'orchestrator' as const, ...(row.triggered_by && { actor_id: row.triggered_by }) },
    asked: {
      assignment_id: row.id,
      target_slug: row.to_slug,
      author_agent_id: row.assigned_by_id,
      ...(row.triggered_by && { created_by_user_id: row.triggered_by }),
    },
  }
}

type Review = Happened<'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.cancelled'>

/** Applies the decision on an assignment that people were asked about. Throwing refuses the decision. */
export function settleReview(app: App, { name, payload, about }: Review): void {
  const { kind, target, target_id } = payload
  if (kind !== 'autonomy_gate' || target !== 'assignment' || !target_id) return
  const row = queries(app.db).find.get(about.workspace_id!, target_id)
  if (name === 'approval.granted') {
    if (row?.status !== 'PENDING') throw problem('approval_undecidable', { detail: 'The assignment is over' })
    return void admit(app, row)
  }
  const why = payload.comment ?? payload.reason
  if (row) end(app, row, { status: 'CANCELLED', error: `People did not approve it${why ? `: ${why}` : ''}` })
}

/** Begins what waits in all crews, and says so in the journal where something had to be begun. */
export function sweepQueues(app: App): void {
  for (const { crew_id, workspace_id } of queries(app.db).queuedCrews.all()) {
    const started = pump(app, crew_id)
    if (!started) continue
    const payload = { started, queued: queries(app.db).queued.get(crew_id)!.n }
    app.journal(fact('queue.sweeper_pumped', payload, { workspace_id, crew_id, actor_type: 'system' }))
  }
}

const lost = 'Its run is gone'
const overdue = 'It was at work for longer than it may'

/** Ends assignments whose run is gone or has gone on for too long. */
export function sweepLost(app: App): void {
  for (const row of queries(app.db).lost.all()) end(app, row, { status: 'FAILED', error: lost })
  for (const row of queries(app.db).overdue.all({ now: Math.floor(app.clock() / 1000) })) fail(app, row)
}

function fail(app: App, row: Row): void {
  end(app, row, { status: 'FAILED', error: overdue })
  if (row.run_id) wishCancel(app, row.run_id, null)
}
