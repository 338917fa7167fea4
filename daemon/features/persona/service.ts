import type { Reply } from '#contract/define'
import { type persona, personaCap } from '#contract/persona'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { type AgentRow, findAgent } from '../agents/service.ts'
import { findCrew } from '../crews/service.ts'
import { openOf } from '../decisions/service.ts'
import { versionsOf } from '../memory/service.ts'
import { suggestion } from './kind.ts'
import { fileName, type Owner, read, remove, write } from './layers.ts'
import { checkContent, synthesized } from './rules.ts'

export { synthesized }

interface Resolved {
  layer: 'agent' | 'crew'
  from_default: boolean
  content: string
}

/** Its own persona, else that of its crew, else what follows from its name and role. */
function resolve(app: App, agent: AgentRow): Resolved {
  const own = read(app, agent)
  if (own) return { layer: 'agent', from_default: false, content: own.content }
  const shared = agent.crew_id ? read(app, { id: agent.crew_id }) : undefined
  if (shared) return { layer: 'crew', from_default: false, content: shared.content }
  return { layer: 'crew', from_default: true, content: synthesized(agent) }
}

/** The persona that somebody wrote for the agent or its crew; null when nobody did. */
export function writtenPersona(app: App, agent: AgentRow): string | null {
  const { content, from_default } = resolve(app, agent)
  return from_default ? null : content
}

const measured = (content: string) => ({ content, bytes: Buffer.byteLength(content), cap_bytes: personaCap })

export function show(app: App, { actor, agentId }: Call<typeof persona.show>): Reply<typeof persona.show> {
  const { layer, from_default, content } = resolve(app, findAgent(app, actor.workspace, agentId))
  return { agent_id: agentId, layer, from_default, ...measured(content) }
}

export function showCrew(app: App, { actor, crewId }: Call<typeof persona.showCrew>) {
  const crew = findCrew(app, actor.workspace, crewId)
  return { crew_id: crewId, layer: 'crew' as const, ...measured(read(app, crew)?.content ?? '') }
}

type Written = Pick<Call<typeof persona.set>, 'actor' | 'body' | 'now'>

function store(app: App, owner: Owner, { actor, body: { content }, now }: Written) {
  checkContent(content)
  const { written_at } = write(app, owner, { content, actor: actorOf(actor), now })
  return { bytes: Buffer.byteLength(content), updated: written_at }
}

export const set = (app: App, call: Call<typeof persona.set>) => ({
  layer: 'agent' as const,
  ...store(app, findAgent(app, call.actor.workspace, call.agentId), call),
})

export const setCrew = (app: App, call: Call<typeof persona.setCrew>) => ({
  layer: 'crew' as const,
  ...store(app, findCrew(app, call.actor.workspace, call.crewId), call),
})

export const reset = (app: App, { actor, agentId }: Call<typeof persona.reset>): undefined =>
  void remove(app, findAgent(app, actor.workspace, agentId), actorOf(actor))

export const resetCrew = (app: App, { actor, crewId }: Call<typeof persona.resetCrew>): undefined =>
  void remove(app, findCrew(app, actor.workspace, crewId), actorOf(actor))

function versions(app: App, { id }: Owner, { query }: Pick<Call<typeof persona.history>, 'query'>) {
  const { limit } = pageOf(query, { fallback: 20, max: 100 })
  const entries = versionsOf(app, id, fileName, limit).map(({ parent_sha, ...version }) => ({
    ...version,
    ...(parent_sha !== null && { parent_sha }),
  }))
  return { entries }
}

export const history = (app: App, call: Call<typeof persona.history>) =>
  versions(app, findAgent(app, call.actor.workspace, call.agentId), call)

export const crewHistory = (app: App, call: Call<typeof persona.crewHistory>) =>
  versions(app, findCrew(app, call.actor.workspace, call.crewId), call)

/** How many suggestions for an agent wait for a decision. */
export const openSuggestions = (app: App, agent: string): number => openOf(app, suggestion, agent)
