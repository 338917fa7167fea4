import { randomBytes } from 'node:crypto'
import type { crewTemplates } from '#contract/crew-templates'
import type { Reply } from '#contract/define'
import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { cleanName } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { slugOf } from '#kernel/slugs'
import { type AgentRow, agentCalled, createFor } from '../../agents/service.ts'
import { setSecret } from '../../agents/webhooks/service.ts'
import { give } from '../../credentials/hired/service.ts'
import { findTemplate, type TemplateAgent } from '../../crew-templates/service.ts'
import { createCrew, crewSlugTaken } from '../../crews/service.ts'
import { giveSkills } from '../../skills/assignments/service.ts'

/** Makes the crew and the agents of a template, all or nothing. */
export function deploy(
  app: App,
  { actor, slug, body, now }: Call<typeof crewTemplates.deploy>,
): Reply<typeof crewTemplates.deploy> {
  const template = findTemplate(app, actor.workspace, slug)
  const { description, icon, color } = template
  const draft = {
    name: cleanName('crew_name', body.crew_name, { min: 2, max: 100, unit: 'characters' }),
    slug: body.crew_slug || slugOf(body.crew_name, 'crew'),
    ...(description && { description }),
    ...(icon && { icon }),
    ...(color && { color }),
  }
  if (crewSlugTaken(app, actor.workspace, draft.slug))
    throw problem('slug_taken', { field: 'crew_slug', detail: `Another crew has the slug "${draft.slug}"` })
  const crew = createCrew(app, { actor, body: draft, now }, [])
  const by = actorOf(actor)
  const about = { workspace_id: actor.workspace, crew_id: crew.id, ...by }
  app.journal(fact('crew.created', { entity_id: crew.id, name: crew.slug }, about))
  const agents = template.agents.map((agent) => makeAgent(app, { actor, crew, agent, by, now }))
  return {
    crew_id: crew.id,
    crew_name: crew.name,
    crew_slug: crew.slug,
    agent_count: agents.length,
    agent_ids: agents.map(({ id }) => id),
  }
}

interface Making {
  actor: Actor
  crew: { id: string; slug: string }
  agent: TemplateAgent
  by: Acting
  now: string
}

/**
 * An agent of the template: called by the slug of its crew too, open to webhooks, with its skills and what pays for its
 * model.
 */
function makeAgent(app: App, { actor, crew, agent, by, now }: Making): AgentRow {
  const { role_title, llm_provider, llm_model, skills = [], ...members } = agent
  const slug = `${agent.slug}-${crew.slug}`.slice(0, 50)
  if (agentCalled(app, actor.workspace, slug))
    throw problem('slug_taken', { field: 'crew_slug', detail: `Another agent has the slug "${slug}"` })
  const made = createFor(app, {
    workspace: actor.workspace,
    draft: { ...members, slug, crew_id: crew.id, role_title, llm_provider, llm_model, memory_enabled: true },
    status: 'IDLE',
    initiator: actor.type === 'user' ? actor.id : null,
    now,
  })
  if (app.vault) setSecret(app, made.id, randomBytes(32).toString('hex'))
  const about = { workspace_id: actor.workspace, crew_id: crew.id, agent_id: made.id, ...by }
  app.journal(fact('agent.created', { entity_id: made.id, name: made.slug }, about))
  give(app, made.id, by)
  giveSkills(app, { actor, agentId: made.id, skills, now })
  return made
}
