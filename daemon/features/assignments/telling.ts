import { type Fact, fact, type Payload } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Row } from './queries.ts'
import { isPrivate, withoutWords } from './readers.ts'

type Kind = 'created' | 'queued' | 'running' | 'completed' | 'failed'

/** Tells the workspace and the chat in which it was asked for how an assignment stands. */
export function broadcast(app: App, given: Row, kind: Kind): void {
  const row = toldOf(app, given)
  const {
    id,
    workspace_id,
    chat_id,
    to_slug: target,
    by_slug,
    task,
    depth,
    run_id,
    result_summary,
    error_message,
  } = row
  const payload = {
    id,
    target,
    task,
    from: by_slug,
    depth,
    status: row.status,
    ...(run_id && { run_id }),
    ...(kind === 'completed' && { result: result_summary ?? '' }),
    ...(kind === 'failed' && { error: error_message ?? '' }),
  }
  const workspace = `workspace:${workspace_id}`
  app.broadcast({ channel: workspace, type: 'assignment.updated', payload: { id, status: row.status } })
  app.broadcast({ channel: workspace, type: `assignment_${kind}`, payload })
  if (chat_id) app.broadcast({ channel: `session:${chat_id}`, type: `assignment_${kind}`, payload })
}

/** An assignment as everybody in its workspace may know it. */
export const toldOf = (app: App, row: Row): Row => (isPrivate(app, row) ? withoutWords(row) : row)

/** Tells the workspace that an assignment waits no more for a place. */
export const broadcastUnqueued = (app: App, { id, workspace_id }: Row): void =>
  app.broadcast({ channel: `workspace:${workspace_id}`, type: 'assignment_unqueued', payload: { id } })

/** Whom and what a fact about an assignment concerns: its agent and, once there is one, its run. */
export const concerning = ({ workspace_id, crew_id, assigned_to_id, run_id, id, chat_id, parent_run_id }: Row) => ({
  workspace_id,
  crew_id,
  agent_id: assigned_to_id,
  trace_id: run_id ?? parent_run_id,
  refs: { assignment_id: id, parent_run_id, ...(chat_id && { chat_id }) },
})

/** The members of a fact that name an assignment. */
export const naming = (app: App, row: Row) => ({
  assignment_id: row.id,
  target_slug: row.to_slug,
  from_name: row.by_name,
  task: toldOf(app, row).task,
})

type Plain = 'assignment.queued' | 'assignment.running'

/** Records a step of an assignment that Muster takes by itself. */
export const factOf = (app: App, name: Plain, row: Row): Fact<Plain> =>
  fact(name, naming(app, row) satisfies Payload<Plain>, { ...concerning(row), actor_type: 'orchestrator' })
