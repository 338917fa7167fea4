import type { crews } from '#contract/crews'
import type { Reply } from '#contract/define'
import { noRuntime } from '#kernel/absent'
import type { App } from '#kernel/app'
import { unchanged } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { Problem, problem } from '#kernel/problem'
import type { ContainerStatus, RuntimeService } from '#runtime/service-types'
import type { CrewRow } from '../queries.ts'
import { findCrew } from '../service.ts'
import { containerOf, want } from './service.ts'

type Wish = Call<typeof crews.start>

/** Records the desired state, unless no runtime can bring it about. */
export function wish(app: App, call: Wish, desired: 'running' | 'stopped'): void {
  const { actor, crewId } = call
  findCrew(app, actor.workspace, crewId)
  if (app.runtime === noRuntime)
    throw problem('runtime_unavailable', { detail: 'This server has no container runtime' })
  const isThere = there[desired].includes(containerOf(app, crewId)!.observed)
  if (!want(app, crewId, desired, actor) && isThere) unchanged(call)
}

/** What a container is seen to be once it is as desired. */
const there: Record<'running' | 'stopped', readonly string[]> = { running: ['running'], stopped: ['stopped', 'none'] }

export const start = (app: App, { actor, crewId }: Wish) => settle(app, actor.workspace, crewId, 'start')
export const stop = (app: App, { actor, crewId }: Wish) => settle(app, actor.workspace, crewId, 'stop')

async function settle(
  app: App,
  workspace: string,
  crewId: string,
  act: 'start' | 'stop',
): Promise<Reply<typeof crews.start>> {
  const status = await asked(app, (runtime) => runtime[act](crewId))
  const { slug } = findCrew(app, workspace, crewId)
  return {
    crew_id: crewId,
    slug,
    container_id: status.containerId,
    status: status.state,
    ...(status.notices.length && { notices: status.notices }),
  }
}

/** Turns the runtime's own errors into a problem that says what failed. */
async function asked<T>(app: App, question: (runtime: RuntimeService) => Promise<T>): Promise<T> {
  try {
    return await question(app.runtime)
  } catch (error) {
    if (error instanceof Problem) throw error
    app.log.error({ err: error }, 'The runtime failed')
    throw problem('runtime_failed', { detail: `The container runtime failed: ${(error as Error).message}` })
  }
}

export async function containerStatus(
  app: App,
  { actor, crewId }: Call<typeof crews.status>,
): Promise<Reply<typeof crews.status>> {
  const crew = findCrew(app, actor.workspace, crewId)
  const status = await app.runtime.status(crewId)
  return toReply(app, crew, status)
}

function toReply(app: App, crew: CrewRow, status: ContainerStatus): Reply<typeof crews.status> {
  return {
    crew_id: crew.id,
    slug: crew.slug,
    container_id: status.containerId,
    status: status.state,
    desired: containerOf(app, crew.id)?.desired === 'running' ? 'running' : 'stopped',
    uptime: status.startedAt ? Math.max(0, Math.floor((app.clock() - Date.parse(status.startedAt)) / 1000)) : null,
    started_at: status.startedAt,
    runtime_contract: status.contract,
    configured_memory_mb: crew.container_memory_mb ?? app.config.defaultMemoryMb,
    effective_memory_mb: status.effectiveMemoryMb,
    configured_cpus: crew.container_cpus ?? app.config.defaultCpus,
    effective_cpus: status.effectiveCpus,
    config_drift: status.configDrift,
    error: status.error,
  }
}

export async function containerLogs(app: App, { actor, crewId, query }: Call<typeof crews.logs>): Promise<string> {
  findCrew(app, actor.workspace, crewId)
  const { limit } = pageOf({ limit: query.tail }, { fallback: 200, max: 5000 })
  return asked(app, (runtime) => runtime.logs(crewId, limit))
}
