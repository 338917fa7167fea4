import type { MemoryTier } from '#contract/memory'
import { allows, type Role } from '#contract/roles'
import type { App } from '#kernel/app'
import { roleInCrew } from '#kernel/auth/standing'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { type AgentRow, agentCalled, findAgent } from '../agents/service.ts'
import { crewCalled } from '../crews/service.ts'
import { type Named, named } from './names.ts'
import type { Place } from './service.ts'

/** Whose memory: of an agent, of a crew, or of the workspace. */
export interface Owner {
  tier: MemoryTier
  workspace_id: string
  owner_id: string
  crew_id: string | null
  /** How its paths begin, as `agent:ada/`. */
  prefix: string
  /** What people call it. */
  called: string
}

export const ofAgent = ({ id, workspace_id, crew_id, slug }: AgentRow): Owner => ({
  tier: 'agent',
  workspace_id,
  owner_id: id,
  crew_id,
  prefix: `agent:${slug}/`,
  called: slug,
})

export const ofCrew = (crew: { id: string; workspace_id: string; slug: string }): Owner => ({
  tier: 'crew',
  workspace_id: crew.workspace_id,
  owner_id: crew.id,
  crew_id: crew.id,
  prefix: `crew:${crew.id}/`,
  called: crew.slug,
})

export const ofWorkspace = (workspace: string): Owner => ({
  tier: 'workspace',
  workspace_id: workspace,
  owner_id: workspace,
  crew_id: null,
  prefix: 'workspace:',
  called: 'the workspace',
})

export const placeAt = ({ tier, workspace_id, owner_id, crew_id, prefix }: Owner, name: string): Place => ({
  tier,
  workspace_id,
  owner_id,
  crew_id,
  name,
  path: `${prefix}${name}`,
})

const shaped = /^(?:(agent|crew):([^/:]{1,64})|(workspace)(?::|$))(?:\/?(.*))?$/s

/** The owner that a path begins with, and the name behind it, which may be empty. */
export function ownerOf(app: App, workspace: string, path: string): { owner: Owner; name: string } {
  const found = shaped.exec(path)
  if (!found)
    throw problem('invalid_field', {
      field: 'path',
      detail: 'path begins with agent:SLUG/, crew:SLUG/ or workspace:, such as agent:ada/AGENT.md',
    })
  const [, tier, called, , name = ''] = found
  if (tier === 'agent') return { owner: ofAgent(agentNamed(app, workspace, called!)), name }
  if (tier !== 'crew') return { owner: ofWorkspace(workspace), name }
  const crew = crewCalled(app, workspace, called!)
  if (!crew) throw problem('not_found', { field: 'path', detail: 'There is no such crew' })
  return { owner: ofCrew(crew), name }
}

export const agentNamed = (app: App, workspace: string, called: string): AgentRow =>
  agentCalled(app, workspace, called) ?? findAgent(app, workspace, called)

/** The file that a path names, whether there is one or not. */
export function fileAt(app: App, workspace: string, path: string): Named & { owner: Owner; place: Place } {
  const { owner, name } = ownerOf(app, workspace, path)
  const known = named(owner.tier, name)
  if (!known) {
    const names = {
      agent: 'AGENT.md, lessons.md, learned.md, pins.md',
      crew: 'CREW.md, pins.md',
      workspace: 'WORKSPACE.md',
    }
    const detail = `Memory of this kind has ${names[owner.tier]}, daily/YYYY-MM-DD.md and topics/NAME.md`
    throw problem('invalid_field', { field: 'path', detail })
  }
  return { ...known, owner, place: placeAt(owner, name) }
}

/** Who changes what reaches models: those who manage the agent or the crew; for all agents at once, an ADMIN. */
const writers = { agent: 'MANAGER', crew: 'MANAGER', workspace: 'ADMIN' } as const satisfies Record<MemoryTier, Role>

/** Refuses those who may not write there. A role in the crew counts as well. */
export function mayWrite({ db }: App, actor: Actor, { tier, crew_id }: Owner): void {
  const needed = writers[tier]
  const role = crew_id ? roleInCrew(db, actor, crew_id) : actor.role
  if (!(role && allows(needed, role)))
    throw problem('insufficient_role', { detail: `This needs the role ${needed} or above; yours is ${role ?? 'none'}` })
}
