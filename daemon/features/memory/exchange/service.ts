import { setImmediate as turn } from 'node:timers/promises'
import type { Reply } from '#contract/define'
import type { memory } from '#contract/memory'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call, Web } from '#kernel/feature'
import { Problem, problem } from '#kernel/problem'
import { type AgentRow, agentsOfCrew } from '../../agents/service.ts'
import { crewCalled } from '../../crews/service.ts'
import { refusedText } from '../guard.ts'
import { capOf, named } from '../names.ts'
import { agentNamed, type Owner, ofAgent, ofCrew, placeAt } from '../places.ts'
import { filesOf, type Place, readFile, store } from '../service.ts'
import { type Member, zipOf } from './zip.ts'

/** Bytes of texts in one archive. */
const mostBytes = 64 * 1024 * 1024

function crewOf(app: App, workspace: string, called: string) {
  const crew = crewCalled(app, workspace, called)
  if (!crew) throw problem('not_found', { field: 'crew_id', detail: 'There is no such crew' })
  return crew
}

function agentOf(app: App, workspace: string, slug: string, crew: string): AgentRow {
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

interface Judged {
  path: string
  content: string
  place: Place | null
  reason: string | null
}

/** Looks through what is imported before the change, a turn of the event loop for each so many documents. */
export async function judgeImport(app: App, { actor, body }: Call<typeof memory.import>): Promise<Judged[]> {
  const crew = crewOf(app, actor.workspace, body.crew_id)
  const agent = agentOf(app, actor.workspace, body.agent_slug, crew.id)
  const judged: Judged[] = []
  for (const [at, { path, content }] of body.documents.entries()) {
    if (at % 20 === 19) await turn()
    judged.push({ path, content, ...judge({ crew: ofCrew(crew), agent: ofAgent(agent) }, path, content) })
  }
  return judged
}

function judge({ crew, agent }: { crew: Owner; agent: Owner }, path: string, content: string) {
  const refuse = (reason: string) => ({ place: null, reason })
  const [owner, name] = path.startsWith('crew/')
    ? [crew, path.slice('crew/'.length)]
    : [agent, path.startsWith(`agents/${agent.called}/`) ? path.slice(`agents/${agent.called}/`.length) : path]
  const known = named(owner.tier, name)
  if (!known) return refuse('No memory file is called so')
  if (known.readOnly) return refuse('A persona is written as such')
  const cap = capOf(owner.tier, name)
  const bytes = Buffer.byteLength(content)
  if (bytes > cap) return refuse(`It has at most ${cap} bytes; this one has ${bytes}`)
  const refused = refusedText(content)
  if (refused) return refuse(`Line ${refused.line} is or holds ${refused.what}`)
  return { place: placeAt(owner, name), reason: null }
}

/** Writes what may be written; what may not is told, and keeps nothing else back. */
export function imported(
  app: App,
  { actor, now }: Call<typeof memory.import>,
  judged: Judged[],
): Reply<typeof memory.import> {
  const told = {
    written: 0,
    rejected: 0,
    failed: 0,
    documents: [] as { path: string; status: string; reason: string }[],
  }
  for (const { path, content, place, reason } of judged) {
    const outcome = place ? storing(app, place, content, { actor: actorOf(actor), action: 'import', now }) : reason!
    if (outcome === null) told.written++
    else {
      const status = place ? 'failed' : 'rejected'
      told[status]++
      if (told.documents.length < 200) told.documents.push({ path: path.slice(0, 250), status, reason: outcome })
    }
  }
  return told as Reply<typeof memory.import>
}

function storing(app: App, place: Place, content: string, how: Parameters<typeof store>[3]): string | null {
  try {
    const stored = store(app, place, content, how)
    return stored instanceof Problem ? stored.message : null
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
