import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { queries, type Row } from './queries.ts'

/** What an entry of an issue says it is about. */
export const subject = ({ identifier, title }: Pick<Row, 'identifier' | 'title'>) => ({
  identifier,
  title,
  mission_type: 'issue' as const,
})

type Of = Pick<Row, 'id' | 'workspace_id' | 'crew_id'>

/** Whom an entry of an issue concerns. */
export const about = ({ id, workspace_id, crew_id }: Of, by: Acting) => ({
  workspace_id,
  crew_id,
  mission_id: id,
  ...by,
})

/** Adds a line to what people see of an issue's past; answers its id. */
export function note(
  app: App,
  { id }: Pick<Row, 'id'>,
  by: Acting,
  action: string,
  details: string | null = null,
): string {
  const { actor_type, actor_id = null } = by
  const row = { id: newId(app.clock()), mission_id: id, actor_type, actor_id, action, details, created_at: app.now() }
  queries(app.db).event.run(row)
  return row.id
}

/** Records in the journal and in the issue's past that it was changed. */
export function changed(app: App, issue: Row, by: Acting, action: string, details?: string): void {
  note(app, issue, by, action, details)
  app.journal(fact('mission.status_change', { ...subject(issue), action }, about(issue, by)))
}

/** Records that an issue has another status. */
export function tellMoved(app: App, from: string, row: Row, by: Acting): void {
  const action = 'status_changed'
  note(app, row, by, action, `${from} → ${row.status}`)
  app.journal(fact('mission.status_change', { ...subject(row), action, from, to: row.status }, about(row, by)))
}

/** Records that somebody else works on an issue. */
export function tellAssigned(app: App, row: Row, by: Acting, former: string | null): void {
  const { assignee_type, assignee_id, assignee_name } = row
  note(app, row, by, 'assignee_changed', `${former ?? 'nobody'} → ${assignee_name ?? 'nobody'}`)
  const agent = assignee_type === 'agent' ? { agent_id: assignee_id! } : {}
  const payload = { ...subject(row), assignee_type, assignee_id, assignee_name }
  app.journal(fact('mission.assigned', payload, { ...about(row, by), ...agent }))
}

/** Tells clients that look at issues. Existing ones refresh only for `mission.updated`. */
export function tell(
  app: App,
  issue: Of & { identifier?: string; status?: string; title?: string },
  type: string,
): void {
  const { id, identifier, status, title } = issue
  const channel = `workspace:${issue.workspace_id}`
  app.broadcast({ channel, type, payload: { id, identifier, status } })
  app.broadcast({ channel, type: 'mission.updated', payload: { id, identifier, status, title } })
}
