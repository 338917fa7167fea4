import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { agentSkillBytes, mostAgentSkills, type SkillHolder, type skills } from '#contract/skills'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { avatarUrl, findAgent } from '../../agents/service.ts'
import { findSkill, skillCalled } from '../find.ts'
import { type Assigned, queries } from './queries.ts'

const present = ({ id, agent_id, skill_id, config, bytes: _, ...skill }: Assigned) => ({
  id,
  agent_id,
  skill_id,
  enabled: true,
  config,
  skill: { id: skill_id, ...skill },
})

export function assigned(app: App, { actor, agentId }: Call<typeof skills.assigned>): Reply<typeof skills.assigned> {
  return queries(app.db)
    .ofAgent.all(findAgent(app, actor.workspace, agentId).id)
    .map(present) as Reply<typeof skills.assigned>
}

/** The agents of a workspace that have a skill, as clients draw them. */
export const holdersOf = ({ db }: App, skill: string, workspace: string): Static<typeof SkillHolder>[] =>
  queries(db)
    .holders.all(skill, workspace)
    .map(({ skill_id: _, workspace_id, avatar_version, ...holder }) => ({
      ...holder,
      avatar_url: avatar_version && avatarUrl({ id: holder.agent_id, workspace_id }, avatar_version),
    }))

export function assign(app: App, call: Call<typeof skills.assign>): Reply<typeof skills.assign> {
  const { actor, agentId, body, now } = call
  const agent = findAgent(app, actor.workspace, agentId)
  const skill = findSkill(app, body.skill_id)
  const held = queries(app.db).ofAgent.all(agent.id)
  const before = held.find(({ skill_id }) => skill_id === skill.id)
  if (before) return { id: before.id, already_assigned: true }
  const bytes = held.reduce((sum, it) => sum + it.bytes, skill.bytes)
  if (held.length >= mostAgentSkills || bytes > agentSkillBytes)
    throw problem('skills_full', {
      detail: `An agent may have ${mostAgentSkills} skills, of ${agentSkillBytes / 1024 / 1024} MiB together`,
    })
  const id = newId(app.clock())
  queries(app.db).add.run({ id, agent: agent.id, skill: skill.id, config: body.config ?? null, now })
  tell(app, call, 'assigned', skill)
  return { id }
}

interface Giving {
  actor: Actor
  agentId: string
  skills: readonly string[]
  now: string
}

/** Gives skills to a new agent, by their slugs: those that are there, as long as there is room. */
export function giveSkills(app: App, { actor, agentId, skills, now }: Giving): void {
  let bytes = 0
  for (const slug of new Set(skills)) {
    const skill = skillCalled(app, slug)
    if (!skill || bytes + skill.bytes > agentSkillBytes) continue
    bytes += skill.bytes
    queries(app.db).add.run({ id: newId(app.clock()), agent: agentId, skill: skill.id, config: null, now })
    tell(app, { actor, agentId }, 'assigned', skill)
  }
}

/** Takes a skill back, by its own id, its slug or the id of the assignment. */
export function unassign(app: App, call: Call<typeof skills.unassign>): undefined {
  const { actor, agentId, skillId } = call
  const agent = findAgent(app, actor.workspace, agentId)
  const held = queries(app.db)
    .ofAgent.all(agent.id)
    .find(({ id, skill_id, slug }) => [id, skill_id, slug].includes(skillId))
  if (!held) throw problem('not_found', { detail: 'The agent has no such skill' })
  queries(app.db).remove.run(held.id)
  tell(app, call, 'unassigned', { id: held.skill_id, slug: held.slug })
}

type Changing = Pick<Call<typeof skills.unassign>, 'actor' | 'agentId'>

function tell(app: App, { actor, agentId }: Changing, what: 'assigned' | 'unassigned', skill: Named): void {
  const about = { workspace_id: actor.workspace, agent_id: agentId, ...actorOf(actor) }
  app.journal(fact(`skill.${what}`, { skill_id: skill.id, slug: skill.slug }, about))
  app.broadcast({
    channel: `workspace:${actor.workspace}`,
    type: `agent.skill_${what}`,
    payload: { agent_id: agentId, skill_id: skill.id },
  })
}

type Named = { id: string; slug: string }

export function forgetAgent({ db }: App, { payload }: Happened<'agent.deleted'>): void {
  queries(db).dropAgent.run(payload.entity_id)
}
