import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Row, StoredTask } from './queries.ts'

/** Muster itself, which carries missions on. */
export const orchestrator = { actor_type: 'orchestrator' } as const

type Of = Pick<Row, 'id' | 'workspace_id' | 'crew_id' | 'title' | 'trace_id'>

/** What an entry of a mission says it is about. */
export const subject = ({ title }: Pick<Row, 'title'>) => ({ title, mission_type: 'orchestration' as const })

/** Whom an entry of a mission concerns. */
export const about = ({ id, workspace_id, crew_id, trace_id }: Of, by: Acting) => ({
  workspace_id,
  crew_id,
  mission_id: id,
  ...(trace_id && { trace_id }),
  ...by,
})

/** Tells clients that look at missions. */
export function tell(app: App, { id, workspace_id, title }: Of, status: string, type = 'mission.updated'): void {
  for (const channel of [`workspace:${workspace_id}`, `mission:${id}`])
    app.broadcast({ channel, type, payload: { id, status, title } })
}

type Told = Pick<StoredTask, 'id' | 'title' | 'status'>

export function tellTask(app: App, mission: Of, { id, title, status }: Told): void {
  for (const channel of [`workspace:${mission.workspace_id}`, `mission:${mission.id}`])
    app.broadcast({ channel, type: 'task.updated', payload: { id, status, title, mission_id: mission.id } })
}

/** Records that something of a mission changed, perhaps in one of its tasks. */
export function changed(
  app: App,
  mission: Of,
  by: Acting,
  action: string,
  { task, reason }: { task?: Told; reason?: string | null } = {},
): void {
  const payload = {
    ...subject(mission),
    action,
    ...(task && { task_id: task.id, task_title: task.title }),
    ...(reason && { reason }),
  }
  app.journal(fact('orchestration.changed', payload, about(mission, by)))
  if (task) tellTask(app, mission, task)
}
