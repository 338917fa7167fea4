import { Buffer } from 'node:buffer'
import { posix } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import type { blame } from '#contract/blame'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import type { AgentFolders, ReadText } from '#kernel/runs'
import { findAgent } from '../agents/service.ts'
import { placesOf } from '../crews/places/service.ts'
import { findCrew } from '../crews/service.ts'
import { causeOf } from './causes.ts'
import { queries, type VersionRow } from './queries.ts'
import { mostTextBytes } from './recording/service.ts'
import { hunksOf, trace } from './rules.ts'

type Asked = Call<typeof blame.show>
type Shown = Reply<typeof blame.show>

/** Versions of a file that are looked at, the newest ones. */
const mostVersions = 100

/** Says where the lines of a file come from. */
export async function show(app: App, call: Asked): Promise<Shown> {
  const { actor, crewId, query } = call
  const crew = findCrew(app, actor.workspace, crewId)
  if (!app.runs.available) throw problem('runtime_unavailable')
  const lines = { from: numberOf('from', query.from) ?? 1, to: numberOf('to', query.to) ?? Number.MAX_SAFE_INTEGER }
  const { path, reader } = await fileOf(app, call)
  const rows = queries(app.db).ofFile.all({ crew: crew.id, path, limit: mostVersions }).reverse()
  const found = reader.read
  if (!rows.length && (found === null || found.state === 'none'))
    throw problem('not_found', { field: 'path', detail: `No file ${path} is there, and none is on record` })
  const now = found?.state === 'text' ? textOf(app, crew.workspace_id, reader.agentId, found) : null
  const traced =
    found === null || found.state === 'none' || found.state === 'text'
      ? trace(
          rows.map(({ text }) => text && inflated(text)),
          now,
        )
      : { lines: [], from: [], unsure: [] }
  return {
    crew_id: crew.id,
    path,
    state: found === null ? 'text' : found.state === 'none' ? 'deleted' : found.state,
    live: found !== null,
    line_count: traced.lines.length,
    versions: rows.map((row, index) => versionOf(app, row, index === 0, actor.id)),
    hunks: hunksOf(traced, lines.from, lines.to).map((hunk) => ({
      ...hunk,
      certain: hunk.certain && (hunk.version === null || rows[hunk.version]!.certain === 1),
    })),
  }
}

const versionOf = (app: App, row: VersionRow, first: boolean, user: string): Shown['versions'][number] => ({
  at: new Date(row.at).toISOString(),
  certain: row.certain === 1,
  first: first && row.made === 0,
  run: row.run_id === null ? null : causeOf(app, row.run_id, user),
  person: row.user_id === null ? null : { id: row.user_id, name: row.user_name },
})

const inflated = (text: Buffer): string => inflateRawSync(text, { maxOutputLength: 2 * mostTextBytes }).toString('utf8')

/** What an agent answered is no surer than the agent. */
function textOf(app: App, workspace_id: string, agent_id: string, { text }: { text: string }): string | null {
  const scrub = app.scrub({ workspace_id, agent_id }, [])
  return scrub(inflated(Buffer.from(text, 'base64')))
}

function numberOf(field: string, given: number | string | undefined): number | undefined {
  if (given === undefined || given === '') return undefined
  const number = Number(given)
  if (!Number.isSafeInteger(number) || number < 1)
    throw problem('invalid_field', { field, detail: `${field} is the number of a line, from 1` })
  return number
}

interface Reader {
  agentId: string
  /** Null while the crew does not run. */
  read: ReadText | null
}

/** The file that is meant, and what the agent reads there that may. */
async function fileOf(app: App, { actor, crewId, query }: Asked): Promise<{ path: string; reader: Reader }> {
  const agents = agentsOf(app, crewId)
  const wanted = query.agent_id ? findAgent(app, actor.workspace, query.agent_id).id : null
  const own = agents.find(({ id }) => id === wanted)
  if (wanted !== null && !own) throw problem('not_found', { field: 'agent_id', detail: 'The crew has no such agent' })
  const paths = pathsOf(query.path, own ? [own] : [], agents)
  let first: { path: string; reader: Reader } | null = null
  for (const path of paths) {
    const reader = await readAs(app, agents, path)
    const known = queries(app.db).newest.get({ crew: crewId, path }) !== undefined
    if (known || (reader.read !== null && reader.read.state !== 'none')) return { path, reader }
    first ??= { path, reader }
  }
  return first!
}

interface Worker {
  id: string
  folders: AgentFolders
}

const agentsOf = (app: App, crewId: string): Worker[] =>
  placesOf(app, crewId).flatMap(({ agentId }) => {
    const folders = app.runs.foldersOf(agentId)
    return folders ? [{ id: agentId, folders }] : []
  })

/** The places at which the file may be. */
function pathsOf(given: string, own: readonly Worker[], agents: readonly Worker[]): string[] {
  const [any] = agents
  if (!any) throw problem('not_found', { field: 'path', detail: 'The crew has no agents, so it has no files' })
  const shared = [any.folders.workspaceShared, any.folders.crewShared]
  if (given.includes('\0')) throw outside()
  if (!given.startsWith('/')) {
    const roots = own.length ? own.map(({ folders }) => folders.output) : shared
    return roots.map((root) => within(root, posix.resolve(root, given)))
  }
  const path = posix.resolve(given)
  const root = [...shared, ...agents.map(({ folders }) => folders.output)].find((it) => path.startsWith(`${it}/`))
  if (!root) throw outside(shared)
  return [path]
}

function within(root: string, path: string): string {
  if (!path.startsWith(`${root}/`)) throw outside()
  return path
}

const outside = (shared: readonly string[] = []) =>
  problem('invalid_field', {
    field: 'path',
    detail: `path must name a file in an agent's output folder${shared.map((it) => `, or in ${it}`).join('')}`,
  })

/** Reads as the agent whose folder it is, or as the first who may. */
async function readAs(app: App, agents: readonly Worker[], path: string): Promise<Reader> {
  const owner = agents.find(({ folders }) => path.startsWith(`${folders.output}/`))
  let last: Reader = { agentId: (owner ?? agents[0]!).id, read: null }
  for (const { id } of owner ? [owner] : agents) {
    last = { agentId: id, read: await app.runs.readText(id, path, mostTextBytes) }
    if (last.read?.state !== 'denied') return last
  }
  return last
}
