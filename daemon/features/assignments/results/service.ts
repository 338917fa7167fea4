import type { Static } from 'typebox'
import { type assignments, type Outcome, resultWaitSeconds } from '#contract/assignments'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { wokenBy } from '#kernel/waiting'
import { findRun } from '../../runs/service.ts'
import { queries, type Row } from '../queries.ts'

type Told = Static<typeof Outcome>

/** How an assignment stands, for the agent that made it. */
export function results(app: App, { body }: Call<typeof assignments.results>): Told {
  const row = queries(app.db).find.get(body.workspace_id, body.assignment_id)
  if (row?.assigned_by_id !== body.agent_id)
    throw problem('not_found', { field: 'assignment_id', detail: 'You have made no such assignment' })
  return toldOf(row)
}

const advice = 'Do not wait for it longer than you must: if you end before it does, its result is brought to you'

function toldOf(row: Row): Told {
  const { id, status, to_slug, task, result_summary, error_message, refusal } = row
  const over = row.finished_at !== null
  const note = over ? refusal : advice
  return {
    assignment_id: id,
    status,
    target: to_slug,
    task,
    ...(over && result_summary && { result: result_summary }),
    ...(over && error_message && { error: error_message }),
    ...(note && { note }),
  }
}

/** Seconds that an agent waits for one that has not begun: what it waits for may be the place that it takes itself. */
const notBegunSeconds = 30

/** Waits until an assignment has ended, for a while; null when `signal` came before. */
export async function waitForEnd(app: App, id: string, wait: unknown, signal: AbortSignal): Promise<Told | null> {
  const { byId, deliver } = queries(app.db)
  const row = byId.get(id)!
  const asked = typeof wait === 'number' ? wait : resultWaitSeconds
  const run = row.run_id ? findRun(app, row.run_id) : undefined
  const begun = row.status === 'RUNNING' && run?.phase !== 'queued'
  const seconds = begun ? asked : Math.min(asked, notBegunSeconds)
  if (row.finished_at === null) await wokenBy(app, id, app.clock() + 1000 * seconds, signal)
  if (signal.aborted) return null
  const now = byId.get(id)!
  if (now.finished_at !== null && now.delivery === null)
    await app.write(() => deliver.get({ id, delivery: 'tool', run: null }))
  return toldOf(now)
}
