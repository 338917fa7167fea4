import type { Acting } from '#contract/entries'
import type { App } from '#kernel/app'
import { requestApproval } from '../../approvals/service.ts'
import { settle } from '../../decisions/service.ts'
import type { Row, StoredTask } from '../queries.ts'

/** Asks people to look at what a task came to; answers the request's id. */
export function askApproval(app: App, mission: Row, task: StoredTask, agent: { id: string; name: string }): string {
  const sure = task.confidence === null ? '' : ` (${agent.name} is ${Math.round(task.confidence * 100)}% sure)`
  return requestApproval(app, {
    workspace: mission.workspace_id,
    crew: mission.crew_id,
    mission: mission.id,
    agent: agent.id,
    by: agent.id,
    kind: 'custom',
    reason: `The result of "${task.title}" in the mission "${mission.title}"${sure}`,
    payload: { target: 'mission_task', target_id: task.id, mission_id: mission.id, agent_id: agent.id },
    card: {
      title: `Approve what ${agent.name} did: ${task.title}`,
      body: task.result_summary ?? 'It said nothing.',
      sender: { type: 'agent', id: agent.id, name: agent.name },
    },
    now: app.now(),
  })
}

/** Withdraws a request that nobody needs to decide any more. */
export function withdraw(app: App, approval: string | null, { actor_type, actor_id }: Acting): void {
  if (approval === null) return
  const by = actor_type === 'user' ? (actor_id ?? null) : null
  settle(app, approval, { state: 'withdrawn', actor: null, by, now: app.now(), comment: 'The mission went on without' })
}
