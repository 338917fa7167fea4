import { fact } from '#contract/entries'
import type { ShellEnd } from '#contract/entries/shells'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import { roleInCrew } from '#kernel/auth/standing'
import { authorize } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { type AgentRow, agentById, agentsOfCrew } from '../agents/service.ts'
import { policyOf } from '../policies/service.ts'
import { queries, type ShellRow } from './queries.ts'

export type { ShellRow }

/** Whom a shell is asked for: an agent, by its slug in a crew, or the crew alone. */
export interface Asked {
  crew_id: string
  agent_slug?: string | undefined
}

/** The agent as which a shell works: the named one, else the crew's lead or only agent. */
export function shellAgent(app: App, userId: string, { crew_id, agent_slug }: Asked): AgentRow {
  const all = agentsOfCrew(app, crew_id).flatMap(({ id }) => agentById(app, id) ?? [])
  const [first] = all
  if (!first || !membership(app.db, first.workspace_id, userId))
    throw problem('not_found', { detail: 'There is no such crew, or it has no agents' })
  const found = agent_slug
    ? all.find(({ slug }) => slug === agent_slug)
    : (all.find(({ agent_role }) => agent_role === 'LEAD') ?? (all.length === 1 ? first : undefined))
  if (found) return found
  if (agent_slug) throw problem('not_found', { detail: `The crew has no agent ${agent_slug}` })
  throw problem('invalid_field', { field: 'agent_slug', detail: 'The crew has several agents and no lead: name one' })
}

/** Refuses a shell to whoever may not have one, now. */
export function checkShell(app: App, actor: Actor, agent: AgentRow): void {
  const { crew_id: crew, workspace_id: workspace } = agent
  const member = membership(app.db, workspace, actor.id)
  if (!member || !crew) throw problem('not_found')
  const role = roleInCrew(app.db, { id: actor.id, workspace, role: member.role }, crew)
  const rule = { method: 'POST', path: '/ws/terminal', status: 101, summary: '', access: 'MANAGER' } as const
  authorize(app.db, { ...rule, scope: 'agents:write' }, { ...actor, workspace, role })
  if (policyOf(app, workspace, crew).level === 'strict')
    throw problem('policy_refused', { detail: 'The policy of this crew, strict, allows no shells' })
}

/** Records that a shell was opened. To be called within a change. */
export function shellOpened(app: App, row: ShellRow, name: string): void {
  queries(app.db).insert.run(row)
  app.journal(fact('shell.opened', { entity_id: row.id, name }, about(row)))
}

/** Records that a shell has ended, once. To be called within a change. */
export function shellClosed(app: App, id: string, reason: ShellEnd): void {
  const row = queries(app.db).remove.get(id)
  if (!row) return
  const seconds = Math.max(0, Math.round((app.clock() - row.opened_at) / 1000))
  app.journal(fact('shell.closed', { entity_id: id, metadata: { seconds, reason } }, about(row)))
}

const about = ({ workspace_id, crew_id, agent_id, user_id }: ShellRow) => ({
  workspace_id,
  crew_id,
  agent_id,
  actor_type: 'user' as const,
  actor_id: user_id,
})

export const shellsOfAgent = ({ db }: App, agentId: string): string[] =>
  queries(db)
    .ofAgent.all(agentId)
    .map(({ id }) => id)

export const hasShell = ({ db }: App, crewId: string): boolean => queries(db).ofCrew.get(crewId) !== undefined

/** Shells that a daemon before this one left open. */
export const leftShells = ({ db }: App): ShellRow[] => queries(db).left.all()
