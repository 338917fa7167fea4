import type { memory } from '#contract/memory'
import type { App } from '#kernel/app'
import type { Call, Web } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { type AgentRow, agentsOfCrew } from '../../agents/service.ts'
import { crewCalled } from '../../crews/service.ts'
import { agentNamed, type Owner, ofAgent, ofCrew } from '../places.ts'
import { filesOf, readFile } from '../service.ts'
import { type Member, zipOf } from './zip.ts'

/** Bytes of texts in one archive. */
const mostBytes = 64 * 1024 * 1024

export function crewOf(app: App, workspace: string, called: string) {
  const crew = crewCalled(app, workspace, called)
  if (!crew) throw problem('not_found', { field: 'crew_id', detail: 'There is no such crew' })
  return crew
}

export function agentOf(app: App, workspace: string, slug: string, crew: string): AgentRow {
  const agent = agentNamed(app, workspace, slug)
  if (agent.crew_id !== crew)
    throw problem('not_found', { field: 'agent_slug', detail: 'There is no such agent in it' })
  return agent
}

const membersOf = (app: App, { owner_id }: Owner, prefix: string): Member[] =>
  filesOf(app, owner_id).map(({ name, written_at }) => ({
    name: `${prefix}${name}`,
    content: readFile(app, owner_id, name)!.content,
    at: written_at,
  }))

/** Files of a crew below `crew/`, those of its agents below `agents/SLUG/`; those of one agent by their names. */
export async function exported(app: App, { actor, query, web }: Call<typeof memory.export> & { web: Web }) {
  const crew = crewOf(app, actor.workspace, query.crew_id)
  const { agent_slug } = query
  const members = agent_slug
    ? membersOf(app, ofAgent(agentOf(app, actor.workspace, agent_slug, crew.id)), '')
    : [
        ...membersOf(app, ofCrew(crew), 'crew/'),
        ...agentsOfCrew(app, crew.id).flatMap(({ id, slug }) =>
          membersOf(app, ofAgent(agentNamed(app, actor.workspace, id)), `agents/${slug}/`),
        ),
      ]
  if (!members.length) throw problem('not_found', { detail: 'Nothing is remembered there' })
  if (members.reduce((sum, { content }) => sum + content.length, 0) > mostBytes)
    throw problem('body_too_large', { detail: 'That is more than 64 MB: export one agent at a time, with agent_slug' })
  const called = agent_slug ?? crew.slug
  web.reply.headers({
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename="muster-memory-${called}.zip"`,
  })
  return zipOf(members)
}
