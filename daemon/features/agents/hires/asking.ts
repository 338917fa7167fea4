import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { requestApproval } from '../../approvals/service.ts'
import type { AgentRow } from '../service.ts'
import type { CrewRow } from './queries.ts'

interface Asking {
  actor: Actor
  /** The LEAD that it works for. */
  lead: AgentRow | null
  crew: CrewRow
  agent: AgentRow
  run: string | null
  reason: string
  minutes: number
  now: string
}

/** Asks people to approve a hire, for as long as it would last. */
export function ask(app: App, { actor, lead, crew, agent, run, reason, minutes, now }: Asking): void {
  const byAgent = actor.type === 'agent'
  const who = byAgent ? lead!.name : (actor.email ?? 'Somebody')
  const seconds = Math.round((Date.parse(agent.expires_at!) - app.clock()) / 1000)
  requestApproval(app, {
    workspace: actor.workspace,
    crew: crew.id,
    agent: agent.id,
    run,
    by: actor.id,
    ...(!byAgent && { person: actor }),
    kind: 'ephemeral_hire',
    reason,
    payload: {
      kind: 'hire',
      target: 'agent',
      target_id: agent.id,
      agent_id: agent.id,
      agent_name: agent.name,
      policy_action: 'ephemeral_spawn',
    },
    seconds,
    card: {
      title: `${who} wants to hire an agent: ${agent.name}`,
      body: `${reason}\n\n@${agent.slug} would work for ${minutes} minutes in the crew ${crew.name}.`,
      sender: byAgent
        ? { type: 'agent', id: lead!.id, name: lead!.name }
        : { type: 'user', id: actor.id, ...(actor.email && { name: actor.email }) },
      target: 'workspace',
    },
    now,
  })
}
