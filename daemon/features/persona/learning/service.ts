import type { agentLearning } from '#contract/agent-learning'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { isVisible } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { findAgent } from '../../agents/service.ts'
import { queries } from './queries.ts'

/** Whether an agent may change itself. */
export const mayLearn = ({ db }: App, agentId: string): boolean => queries(db).find.get(agentId)?.enabled === 1

export function show(
  app: App,
  { actor, agentId }: Pick<Call<typeof agentLearning.learning>, 'actor' | 'agentId'>,
): Reply<typeof agentLearning.learning> {
  const agent = findAgent(app, actor.workspace, agentId)
  const row = queries(app.db).find.get(agent.id)
  return row ? { ...row, enabled: row.enabled === 1 } : { agent_id: agent.id, enabled: false }
}

export function set(app: App, call: Call<typeof agentLearning.setLearning>) {
  const { actor, agentId, body, now } = call
  const { id, name, crew_id } = findAgent(app, actor.workspace, agentId)
  const reason = body.reason.trim()
  if (!isVisible(reason)) throw problem('invalid_field', { field: 'reason', detail: 'Say why' })
  const { enabled } = body
  queries(app.db).set.run({ agent_id: id, enabled: enabled ? 1 : 0, set_by_user_id: actor.id, set_at: now, reason })
  const payload = { entity_id: id, name, metadata: { changed: ['self_learning'], enabled, reason } }
  const about = { workspace_id: actor.workspace, agent_id: id, ...(crew_id && { crew_id }), ...actorOf(actor) }
  app.journal(fact('agent.learning_set', payload, about))
  return show(app, call)
}
