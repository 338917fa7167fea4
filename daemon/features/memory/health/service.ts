import type { Reply } from '#contract/define'
import type { memory } from '#contract/memory'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { crewCalled } from '../../crews/service.ts'
import { capOf, mainFile } from '../names.ts'
import { type FileRow, filesOf, readFile } from '../service.ts'
import { queries } from './queries.ts'
import { coherenceOf, efficiencyOf, freshnessOf, overallOf, rounded, type Seen } from './rules.ts'

const day = 86_400_000
/** Files of one owner that are read, the newest: what is older says little about how memory is kept. */
const mostFiles = 50

interface Owned {
  id: string
  memory: boolean
  files: FileRow[]
}

/** How well memory is kept, from what is there. docs/memory.md, "Health". */
export function health(
  app: App,
  { actor: { workspace }, query }: Call<typeof memory.health>,
): Reply<typeof memory.health> {
  const crew = query.crew_id ? crewCalled(app, workspace, query.crew_id) : undefined
  if (query.crew_id && !crew) throw problem('not_found', { field: 'crew_id', detail: 'There is no such crew' })
  const ids = crew ? queries(app.db).agentsOfCrew.all(crew.id) : queries(app.db).agents.all(workspace)
  const agents = ids.map((id) => owned(app, id, agentById(app, id)?.memory_enabled === 1))
  const crews = crew ? [crew.id] : queries(app.db).crews.all(workspace)
  const shared = crews.map((id) => owned(app, id, true))
  const all = [...agents, ...shared].filter(({ files }) => files.length)
  const seen = all.flatMap(({ id, files }) => files.map((file) => see(app, id, file)))
  const coherence = coherenceOf(seen)
  const written = agents.filter(({ files }) => files.length)
  const scores = {
    freshness: freshnessOf(all.map(({ files }) => Math.min(...files.map((file) => ageOf(app, file))))),
    coverage: share([...agents.map(has('agent')), ...shared.map(has('crew'))]),
    coherence: coherence.score,
    efficiency: efficiencyOf(seen.map(({ fill }) => fill)),
    reachability: written.length ? share(written.map(({ memory }) => memory)) : 0,
  }
  const oldest = all.flatMap(({ files }) => files.map((file) => ageOf(app, file)))
  return {
    workspace_id: workspace,
    crew_id: crew?.id ?? null,
    ...(Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, rounded(score)])) as typeof scores),
    overall: overallOf(scores),
    agents: agents.length,
    agents_with_memory: written.length,
    files: seen.length,
    stalest_entry_days: oldest.length ? Math.floor(Math.max(...oldest)) : null,
    repeated_count: coherence.repeated,
    contradiction_count: coherence.contradictions.length,
    contradictions: coherence.contradictions.slice(0, 20),
  }
}

function owned(app: App, id: string, memory: boolean): Owned {
  const files = filesOf(app, id).filter(({ name }) => name !== 'PERSONA.md')
  return { id, memory, files: files.sort((a, b) => b.written_at.localeCompare(a.written_at)).slice(0, mostFiles) }
}

const has =
  (tier: 'agent' | 'crew') =>
  ({ files }: Owned): boolean =>
    files.some(({ name }) => name === mainFile(tier))

const share = (values: readonly boolean[]): number =>
  values.length ? values.filter(Boolean).length / values.length : 0

const ageOf = (app: App, { written_at }: FileRow): number => Math.max(0, (app.clock() - Date.parse(written_at)) / day)

const see = (app: App, owner: string, file: FileRow): Seen => ({
  owner,
  name: file.name,
  content: readFile(app, owner, file.name)?.content ?? '',
  ageDays: ageOf(app, file),
  fill: file.bytes / capOf(file.tier, file.name),
})
