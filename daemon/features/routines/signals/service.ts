import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { routines } from '#contract/routines'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { queries, type StepRow } from '../engine/queries.ts'
import { settleStep } from '../engine/service.ts'
import { completed } from '../steps/types.ts'

/** Events that one run keeps for later, characters of a payload, and runs that one event reaches. */
const [mostKept, payloadLimit, mostReached] = [100, 65_536, 1000]

function deliver(app: App, step: StepRow, payload: unknown): void {
  settleStep(app, step, completed(payload))
  app.afterCommit(() => app.bus.emit('routine', step.run_id))
}

function checked(payload: Record<string, unknown> = {}): Record<string, unknown> {
  if (JSON.stringify(payload).length > payloadLimit)
    throw problem('body_over_limit', { field: 'payload', detail: 'The payload of an event has at most 64 KiB' })
  return payload
}

/** Sends an event to one run: to the step that waits for it, or to the next one that will. */
export function signal(
  app: App,
  { actor, routineRunId, body }: Call<typeof routines.signal>,
): Reply<typeof routines.signal> {
  const run = queries(app.db).run.get(routineRunId)
  if (run?.workspace_id !== actor.workspace) throw problem('not_found', { detail: 'There is no such run' })
  if (run.ended_at !== null) throw problem('routine_run_over', { detail: `It is ${run.status}` })
  const payload = checked(body.payload)
  const waiting = queries(app.db)
    .steps.all(run.id)
    .find(({ status, event_type }) => status === 'waiting' && event_type === body.event_type)
  if (waiting) deliver(app, waiting, payload)
  else keep(app, run.id, body.event_type, payload)
  const delivered = waiting ? 1 : 0
  const about = { workspace_id: actor.workspace, ...actorOf(actor), trace_id: run.id }
  app.journal(fact('routine_signal.sent', { event_type: body.event_type, run_id: run.id, delivered }, about))
  return { delivered, kept: !waiting }
}

function keep(app: App, run: string, event: string, payload: unknown): void {
  if (queries(app.db).keptSignals.get(run)! >= mostKept)
    throw problem('body_over_limit', { detail: `The run keeps ${mostKept} events already that nothing waits for` })
  const id = newId(app.clock())
  queries(app.db).keepSignal.run({
    id,
    run,
    event,
    payload: JSON.stringify(payload),
    now: new Date(app.clock()).toISOString(),
  })
}

/** Sends an event to all runs of the workspace that wait for it now. */
export function broadcast(
  app: App,
  { actor, body }: Call<typeof routines.broadcast>,
): Reply<typeof routines.broadcast> {
  const payload = checked(body.payload)
  const waiting = queries(app.db).waitingFor.all(body.event_type, actor.workspace, mostReached)
  for (const step of waiting) deliver(app, step, payload)
  const delivered = waiting.length
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(fact('routine_signal.sent', { event_type: body.event_type, delivered }, about))
  return { delivered }
}
