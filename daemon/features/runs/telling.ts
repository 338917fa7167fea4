import type { App } from '#kernel/app'
import type { Run } from './queries.ts'

/** Whom and what the facts about a run concern. */
export const about = ({ workspace_id, crew_id, agent_id, mission_id, id }: Run) => ({
  workspace_id,
  crew_id,
  agent_id,
  ...(mission_id && { mission_id }),
  trace_id: id,
})

/** The payload's member for the run's chat, if it has one. */
export const chatOf = ({ chat_id }: Pick<Run, 'chat_id'>) => (chat_id === null ? {} : { chat_id })

/** Broadcasts the status of a run to its workspace. */
export function tell(app: App, run: Run, type: string, status: string, more: object = {}): void {
  const { id: run_id, workspace_id, agent_id, agent_slug, agent_name } = run
  const payload = { run_id, agent_id, agent_slug, agent_name, status, ...more }
  app.broadcast({ channel: `workspace:${workspace_id}`, type, payload })
}
