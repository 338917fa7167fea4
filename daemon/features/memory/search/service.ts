import type { Reply } from '#contract/define'
import { type Acting, type Entry, fact } from '#contract/entries'
import type { memory } from '#contract/memory'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { type AgentRow, agentById } from '../../agents/service.ts'
import { crewCalled } from '../../crews/service.ts'
import { recall } from '../../journal/service.ts'
import { agentNamed, type Owner, ofAgent, ofCrew, ofWorkspace } from '../places.ts'
import { evidenceIn, fused, recalledAt, wordsOf } from './chunks.ts'
import { type FoundChunk, queries } from './queries.ts'

export type Hit = Reply<typeof memory.search>['hits'][number]

/** What is searched: by ids of owners, null for all of the workspace, and the crew whose journal is. */
export interface Covered {
  workspace: string
  owners: string[] | null
  crew: string | null
  agent: string | null
  scope: '' | 'own' | 'crew_shared'
}

/** Owners that the expression names; with more, all of the workspace is searched and filtered. */
const fewOwners = 60
/** Parts that are ranked; what is filtered out is not made up for. */
const ranked = 200
const snippetMost = 400

/** Entries that tell of searches and writes, and would be found instead of what they tell of. */
const aboutMemory = 'memory.searched,memory.updated,memory.write_rejected,memory.write_verifier_blocked'

/** What an agent may search: its own memory, that of its crew and of the workspace. */
export function coveredBy(agent: AgentRow, scope: '' | 'own' | 'crew_shared'): Covered {
  const shared = [...(agent.crew_id ? [agent.crew_id] : []), agent.workspace_id]
  const owners = scope === 'own' ? [agent.id] : scope === 'crew_shared' ? shared : [agent.id, ...shared]
  return { workspace: agent.workspace_id, owners, crew: agent.crew_id, agent: agent.id, scope }
}

function covered(app: App, { actor: { workspace }, body }: Call<typeof memory.search>): Covered {
  const { scope = '', agent, crew_id } = body
  if (agent) return coveredBy(agentNamed(app, workspace, agent), scope)
  if (scope === 'own')
    throw problem('invalid_field', { field: 'agent', detail: 'Name the agent whose own memory it is' })
  if (!crew_id) return { workspace, owners: null, crew: null, agent: null, scope }
  const crew = crewCalled(app, workspace, crew_id)
  if (!crew) throw problem('not_found', { field: 'crew_id', detail: 'There is no such crew' })
  const agents = scope === 'crew_shared' ? [] : queries(app.db).agentsOfCrew.all(crew.id)
  return { workspace, owners: [crew.id, ...agents], crew: crew.id, agent: null, scope }
}

/** Parts of memory files that match, best first. */
function findChunks({ db }: App, query: string, { workspace, owners }: Covered): FoundChunk[] {
  const words = wordsOf(query)
  if (!words.length) return []
  const few = owners && owners.length <= fewOwners ? owners : null
  // Telling one workspace from others takes as long as finding the words: only done where there are others.
  const among = few ?? (queries(db).others.get(workspace) ? [workspace] : [])
  const scope = among.length ? ` AND {scope} : (${among.map((id) => `"${id}"`).join(' OR ')})` : ''
  const found = queries(db).matches.all(`{text} : (${words.join(' OR ')})${scope}`, ranked)
  const wanted = owners && new Set(owners)
  return wanted ? found.filter(({ owner_id }) => wanted.has(owner_id)) : found
}

/** Entries of the journal that match, newest first: the whole phrase before its longest words. */
async function findEntries(app: App, query: string, { workspace, crew }: Covered): Promise<Entry[]> {
  const longest = wordsOf(query)
    .map((word) => word.slice(1, -1))
    .sort((a, b) => b.length - a.length)
  const phrases = [...new Set([query.trim(), ...longest.slice(0, 2)])].filter((it) => it && it.length <= 200)
  const within = { exclude_entry_type: aboutMemory, ...(crew && { crew_id: crew }) }
  const found = await Promise.all(phrases.map((q) => recall(app, workspace, { ...within, q })))
  return [...new Map(found.flat().map((entry) => [entry.id, entry])).values()]
}

const cut = (text: string): string => (text.length > snippetMost ? `${text.slice(0, snippetMost)}…` : text)

/**
 * Both lists as one: each place counts by its reciprocal rank, that of an entry with a priority somewhat more, and a
 * rule also by the best of the entries that it rests on.
 */
function fuse(app: App, workspace: string, chunks: FoundChunk[], entries: Entry[], limit: number): Hit[] {
  const counts = new Map(entries.map(({ id, priority }, at) => [id, recalledAt(at, priority)]))
  const owners = new Map<string, Owner | undefined>()
  const ownerOf = (chunk: FoundChunk) => {
    if (!owners.has(chunk.owner_id)) owners.set(chunk.owner_id, ownerBy(app, workspace, chunk))
    return owners.get(chunk.owner_id)
  }
  const files = chunks.flatMap((chunk, at): Hit[] => {
    const owner = ownerOf(chunk)
    if (!owner) return []
    const evidence = evidenceIn(chunk.text)
    const recalled = evidence.flatMap((id) => counts.get(id) ?? [])
    const path = `${owner.prefix}${chunk.name}`
    const score = fused(at) + Math.max(0, ...recalled)
    const { line, tier, written_at } = chunk
    return [
      { kind: 'file', id: `${path}#${line}`, path, tier, line, text: cut(chunk.text), at: written_at, score, evidence },
    ]
  })
  const told = entries.map(
    ({ id, entry_type, summary, ts }): Hit => ({
      kind: 'journal',
      id,
      entry_type,
      text: cut(summary),
      at: ts,
      score: counts.get(id)!,
      evidence: [],
    }),
  )
  return [...files, ...told].sort((a, b) => b.score - a.score).slice(0, limit)
}

function ownerBy(app: App, workspace: string, { tier, owner_id }: FoundChunk): Owner | undefined {
  if (tier === 'workspace') return owner_id === workspace ? ofWorkspace(workspace) : undefined
  if (tier === 'crew') {
    const crew = crewCalled(app, workspace, owner_id)
    return crew && ofCrew(crew)
  }
  const agent = agentById(app, owner_id)
  return agent?.workspace_id === workspace ? ofAgent(agent) : undefined
}

export interface Found {
  hits: Hit[]
  query: string
}

/** Searches files and journal. */
export async function searchMemory(app: App, query: string, within: Covered, limit: number): Promise<Found> {
  const entries = await findEntries(app, query, within)
  return { hits: fuse(app, within.workspace, findChunks(app, query, within), entries, limit), query }
}

/** Records a search: what is often found is worth a rule, and what rules rest on counts as found with them. */
export function noteSearch(app: App, { hits, query: asked }: Found, within: Covered, actor: Acting): void {
  const { workspace, crew, agent, scope } = within
  const hit_chunk_ids = [...new Set(hits.flatMap(({ id, evidence }) => [id, ...evidence]))].slice(0, 100)
  const about = { workspace_id: workspace, ...(crew && { crew_id: crew }), ...(agent && { agent_id: agent }), ...actor }
  const query = asked.slice(0, 200)
  app.journal(fact('memory.searched', { query, scope, hit_count: hits.length, hit_chunk_ids }, about))
}

const limitOf = (limit = 10): number => Math.min(Math.max(limit, 1), 50)

export async function prepareSearch(app: App, call: Call<typeof memory.search>): Promise<Found & { within: Covered }> {
  const { query, limit } = call.body
  if (query.trim() === '') throw problem('invalid_field', { field: 'query', detail: 'query must not be blank' })
  const within = covered(app, call)
  return { ...(await searchMemory(app, query, within, limitOf(limit))), within }
}

export function commitSearch(
  app: App,
  { actor, body: { scope = '' } }: Call<typeof memory.search>,
  { within, ...found }: Found & { within: Covered },
): Reply<typeof memory.search> {
  noteSearch(app, found, within, actorOf(actor))
  return { ...found, count: found.hits.length, scope }
}
