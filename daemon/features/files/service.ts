import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { agentFiles, files } from '#contract/files'
import type { Code } from '#contract/problems'
import type { App } from '#kernel/app'
import { actorOf, unchanged } from '#kernel/dispatch'
import { etagOf } from '#kernel/etag'
import type { Call } from '#kernel/feature'
import { Problem, problem } from '#kernel/problem'
import type { AgentFile, Commit, Conditions, SavedFile } from '#kernel/runs'
import { type AgentRow, findAgent } from '../agents/service.ts'
import { noteSave } from '../blame/recording/service.ts'

function runsOf({ runs }: App) {
  if (!runs.available) throw problem('runtime_unavailable')
  return runs
}

/** Refuses what leads out of the agent's own folder. */
function inside(field: string, given: string): string {
  const path = given.replace(/^\.\//, '').replace(/\/+$/, '')
  if (path.startsWith('/') || path.split('/').includes('..') || path.includes('\0')) {
    throw problem('invalid_field', { field, detail: `${field} must lie inside the agent's folder` })
  }
  return path
}

export async function filesOf(app: App, { actor, agentId, query }: Call<typeof files.list>): Promise<AgentFile[]> {
  const agent = findAgent(app, actor.workspace, agentId)
  const subdir = inside('subdir', ownPath(query.subdir ?? '', agent))
  if (!agent.crew_id) return []
  return asked(app, () =>
    runsOf(app).listFiles(agent.id, subdir, query.recursive === '1' || query.recursive === 'true'),
  )
}

/** A file and its entity tag. */
export async function download(
  app: App,
  { actor, agentId, query }: Call<typeof files.download>,
): Promise<{ content: Buffer; etag: string }> {
  const agent = findAgent(app, actor.workspace, agentId)
  const path = inside('path', ownPath(query.path, agent))
  const content = agent.crew_id && path ? await asked(app, () => runsOf(app).readFile(agent.id, path)) : null
  if (!content) throw problem('not_found', { field: 'path', detail: `There is no file ${path}` })
  return { content, etag: etagOf(content) }
}

/** A save that was done, with what is recorded of it. */
interface Done {
  agent: AgentRow
  path: string
  content: Buffer
  saved: Extract<SavedFile, { etag: string; created: boolean }>
}

type Save = typeof files.save

/** Saves the file in the crew. */
export async function save(app: App, { actor, agentId, query, web }: Call<Save>): Promise<Done> {
  const agent = findAgent(app, actor.workspace, agentId)
  const path = inside('path', ownPath(query.path, agent))
    .split('/')
    .filter((it) => it !== '' && it !== '.')
    .join('/')
  if (!path) throw problem('invalid_field', { field: 'path', detail: 'path must name a file' })
  if (!agent.crew_id) throw problem('not_found', { detail: 'The agent has no crew, so it has no files' })
  const content = (web?.request.body as Buffer | undefined) ?? Buffer.alloc(0)
  const conditions = conditionsOf(web!.request.headers)
  const saved = await asked(app, () => runsOf(app).saveFile(agent.id, path, content, conditions), 'crew_not_running')
  if (saved.status !== 'saved' && saved.status !== 'unchanged') throw refusal(path, saved)
  return { agent, path, content, saved }
}

/** Records a save. */
export function saved(app: App, call: Call<Save>, { agent, path, content, saved }: Done): Reply<Save> {
  call.web?.reply.header('etag', saved.etag)
  if (saved.status === 'unchanged') unchanged(call)
  else {
    const about = {
      workspace_id: agent.workspace_id,
      crew_id: agent.crew_id!,
      agent_id: agent.id,
      ...actorOf(call.actor),
    }
    const folder = app.runs.foldersOf(agent.id)?.output
    if (folder) noteSave(app, agent, { path: `${folder}/${path}`, content, made: saved.created }, call.actor.id)
    app.journal(
      fact(
        'file.written',
        { path, agent: agent.slug, size: content.length, op: saved.created ? 'create' : 'write' },
        about,
      ),
    )
  }
  return { status: saved.status, path }
}

function conditionsOf(headers: IncomingHttpHeaders): Conditions {
  const [match, none] = [headers['if-match'], headers['if-none-match']]
  if (none !== undefined && none.trim() !== '*')
    throw problem('invalid_field', { field: 'If-None-Match', detail: 'If-None-Match takes only *' })
  return { match: match === undefined ? null : match.split(',').map((it) => it.trim()), absent: none !== undefined }
}

function refusal(path: string, { status, ...found }: SavedFile): Problem {
  if (status === 'changed') {
    const { etag = null } = found as { etag?: string | null }
    return problem('file_changed', {
      field: 'path',
      detail: etag ? `${path} was changed meanwhile` : `${path} is not there, or is there already`,
      extra: { etag },
    })
  }
  if (status === 'full') return problem('storage_full', { detail: `The crew's disk is full; ${path} is as it was` })
  if (status === 'folder') return problem('invalid_field', { field: 'path', detail: `${path} is a folder` })
  if (status === 'link')
    return problem('file_refused', { field: 'path', detail: `${path} leads through a link or a special file` })
  return problem('file_refused', { field: 'path', detail: `The agent may not write ${path}` })
}

/** Lists the agent's home folder; `/home` may stand before the path. */
export async function homeFiles(
  app: App,
  { actor, agentId, query }: Call<typeof agentFiles.containerFiles>,
): Promise<Reply<typeof agentFiles.containerFiles>> {
  const agent = findAgent(app, actor.workspace, agentId)
  const subdir = inside('subdir', (query.subdir ?? '').replace(/^\/home(\/|$)/, ''))
  if (!agent.crew_id) throw problem('not_found', { detail: 'The agent has no crew, so it has no container' })
  return asked(app, () => runsOf(app).listHome(agent.id, subdir), 'container_unreachable')
}

export async function commits(app: App, { actor, agentId, query }: Call<typeof agentFiles.gitLog>): Promise<Commit[]> {
  const agent = findAgent(app, actor.workspace, agentId)
  if (!agent.crew_id) return []
  const patch = query.patch === '1' || query.patch === 'true'
  return asked(app, () => runsOf(app).gitLog(agent.id, patch), 'container_unreachable')
}

/**
 * The path within the agent's folder. Clients may also name it as the agent itself does, or from the folder of crews
 * on; another agent's is refused.
 */
function ownPath(path: string, { slug, crew_id }: AgentRow): string {
  const [, home, owner, rest = ''] = /^(\/output|[^/]+)\/([^/]+)(?:\/(.*))?$/s.exec(path) ?? []
  if (home !== '/output' && (crew_id === null || home !== crew_id)) return path
  if (owner !== slug) throw problem('foreign_file')
  return rest
}

/** `stopped` is what a crew that does not run answers. */
async function asked<T>(app: App, question: () => Promise<T>, stopped?: Code): Promise<T> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof Problem) throw error
    const { kind, message } = error as Error & { kind?: string }
    if (stopped && kind === 'not_running') throw problem(stopped, { detail: 'Start the crew first' })
    if (kind === 'unreachable') throw problem('runtime_unavailable', { detail: message })
    app.log.warn({ err: error }, 'The runtime could not work on files')
    throw problem('runtime_failed', { detail: `The files cannot be reached: ${message}` })
  }
}
