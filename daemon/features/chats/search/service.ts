import type { chatSearch } from '#contract/chat-search'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import type { Call } from '#kernel/feature'
import { Problem, problem } from '#kernel/problem'
import { findAgent } from '../../agents/service.ts'
import { findCrew } from '../../crews/service.ts'
import { workspaceOfChat } from '../service.ts'
import type { Found, Wanted } from './find.ts'
import { type HitRow, queries } from './queries.ts'
import { hasWords } from './text.ts'
import { isBehind } from './words.ts'

type Asked = Call<typeof chatSearch.search>
type Result = Reply<typeof chatSearch.search>

/** Agents that a search of the workspace covers, the newest. */
const mostAgents = 400
/** Agents that are named in the expression: with more, all of the workspace is searched and filtered. */
const fewAgents = 40
/** Characters of a message that its agent is shown. */
const ownMost = 1000
/** Times that a search goes on because the caller may not see what it found. */
const mostRounds = 8

/** Searches the conversations with agents. docs/rules/chats.md, "Search". */
export async function searchChats(app: App, call: Asked): Promise<Result> {
  const { query, limit: asked = 0 } = call.body
  if (query.trim() === '') throw problem('invalid_field', { field: 'query', detail: 'query must not be blank' })
  const limit = asked > 0 && asked <= 100 ? asked : 20
  const { scope, agents, among } = covered(app, call)
  const wanted = { phrase: query, scope: among, agents, limit }
  const { rows, cut } = agents.length && hasWords(query) ? await visible(app, call, wanted) : { rows: [], cut: false }
  const missed = cut ? 'time' : isBehind(app) ? 'indexing' : null
  return { hits: rows.map(toHit), query, count: rows.length, scope, ...(missed && { missed }) }
}

/** Searches an agent's own conversations, for the agent itself. */
export async function searchOwn(app: App, agent: { id: string }, query: string, limit: number) {
  if (!hasWords(query)) return []
  const { candidates } = await find(app, { phrase: query, scope: [agent.id], agents: [agent.id], limit, below: null })
  return candidates.slice(0, limit).flatMap(({ number }) => {
    const row = queries(app.db).hit.get(number)
    return row ? [{ chat_id: row.session_id, role: row.role, text: row.content.slice(0, ownMost), at: row.ts }] : []
  })
}

/** What is searched: the agents, and the ids by which the index knows their messages. */
function covered(
  app: App,
  { actor: { workspace }, body: { agent_id, crew_id } }: Asked,
): { scope: Result['scope']; agents: string[]; among: string[] } {
  if (agent_id) {
    const { id, crew_id: itsCrew } = findAgent(app, workspace, agent_id)
    const agents = crew_id && itsCrew !== findCrew(app, workspace, crew_id).id ? [] : [id]
    return { scope: 'agent', agents, among: [id] }
  }
  const crew = crew_id ? findCrew(app, workspace, crew_id).id : null
  const { agents: ofWorkspace, agentsOfCrew } = queries(app.db)
  const agents = crew === null ? ofWorkspace.all(workspace, mostAgents) : agentsOfCrew.all(crew, mostAgents)
  return {
    scope: crew === null ? 'workspace' : 'crew',
    agents,
    among: crew !== null && agents.length <= fewAgents ? agents : otherWorkspaces(app, workspace) ? [workspace] : [],
  }
}

/** Whether messages of the workspace have to be told from others: the index answers sooner when it need not. */
const otherWorkspaces = ({ db }: App, workspace: string): boolean => queries(db).others.get(workspace) !== undefined

/** The best matches of chats that the caller may enter: all of the workspace, for as long as the caller is a member. */
async function visible(
  app: App,
  { actor }: Asked,
  wanted: Omit<Wanted, 'below'>,
): Promise<{ rows: HitRow[]; cut: boolean }> {
  const rows: HitRow[] = []
  let below: number | null = null
  for (let round = 0; round < mostRounds; round++) {
    const found = await find(app, { ...wanted, below })
    if (!membership(app.db, actor.workspace, actor.id)) return { rows: [], cut: false }
    for (const { number, chat } of found.candidates) {
      if (rows.length === wanted.limit) break
      const row = workspaceOfChat(app, chat) === actor.workspace ? queries(app.db).hit.get(number) : undefined
      if (row) rows.push(row)
    }
    below = found.below
    if (rows.length === wanted.limit || below === null) return { rows, cut: false }
    if (found.cut) return { rows, cut: true }
  }
  return { rows, cut: true }
}

/** What failed is in the log; whoever searches may try again. */
async function find(app: App, wanted: Wanted): Promise<Found> {
  try {
    return JSON.parse(await app.reads.run('search', 'chats', wanted)) as Found
  } catch (error) {
    if (error instanceof Problem) throw error
    app.log.error({ err: error }, 'A search of conversations failed')
    throw problem('unavailable', { detail: 'The search failed; try again', headers: { 'retry-after': '1' } })
  }
}

const toHit = ({ tool_summary, ...hit }: HitRow): Result['hits'][number] => ({
  ...hit,
  ...(tool_summary !== null && { tool_summary }),
})
