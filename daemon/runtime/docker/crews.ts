import type Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import type { CrewImage, ObservedCrew } from '../types.ts'
import { asking, type Container, type Engine, ifThere } from './engine.ts'
import { labelFilter, labels, type Naming } from './names.ts'

/** The containers of one crew; absent ones are null. */
export interface CrewContainers {
  crew: Docker.ContainerInspectInfo | null
  sidecar: Docker.ContainerInspectInfo | null
}

const asked = 16

export async function findCrew(engine: Engine, naming: Naming, crewId: string): Promise<CrewContainers> {
  const listed = await asking('listing containers', () =>
    engine.listContainers({ all: true, filters: labelFilter(naming, { [labels.crew]: crewId }) }),
  )
  const of = async (kind: string) => {
    const found = listed.find((it) => it.Labels[labels.kind] === kind)
    return found ? inspect(engine, found.Id) : null
  }
  const [crew, sidecar] = await Promise.all([of('crew'), of('sidecar')])
  return { crew, sidecar }
}

const inspect = (engine: Engine, id: string) =>
  ifThere('looking at a container', () => engine.getContainer(id).inspect())

/** Whether a crew can work: both containers run, and the crew is in the sidecar's current network. */
export const isHealthy = ({ crew, sidecar }: CrewContainers): boolean =>
  Boolean(
    crew?.State.Running &&
      !crew.State.Restarting &&
      sidecar?.State.Running &&
      crew.HostConfig.NetworkMode === `container:${sidecar.Id}` &&
      Date.parse(crew.State.StartedAt) >= Date.parse(sidecar.State.StartedAt),
  )

/** Why a running crew cannot continue; null while its sidecar runs. */
export function stopReasonOf({ crew, sidecar }: CrewContainers): string | null {
  if (!crew?.State.Running || sidecar?.State.Running) return null
  const how = sidecar?.State.OOMKilled
    ? 'ran out of memory'
    : sidecar?.State.ExitCode === 137 || !sidecar
      ? 'was killed'
      : 'ended'
  return `the crew's sidecar ${how} while the agent worked; Muster restarted it`
}

const states: Record<string, ObservedCrew['state']> = {
  running: 'running',
  created: 'creating',
  restarting: 'creating',
  exited: 'stopped',
}

/** All crews of this installation with containers or networks on the engine; or only one of them. */
export async function observeCrews(engine: Engine, naming: Naming, crewId?: string): Promise<ObservedCrew[]> {
  const filters = labelFilter(naming, crewId ? { [labels.crew]: crewId } : {})
  const [containers, networks] = await Promise.all([
    asking('listing containers', () => engine.listContainers({ all: true, filters })),
    asking('listing networks', () => engine.listNetworks({ filters })),
  ])
  const crewIds = new Set([
    ...containers.map((it) => it.Labels[labels.crew]),
    ...networks.map((it) => it.Labels?.[labels.crew]),
  ])
  const pending = [...crewIds].filter((it) => it !== undefined)
  const observed: ObservedCrew[] = []
  const worker = async () => {
    for (let crewId = pending.pop(); crewId !== undefined; crewId = pending.pop()) {
      const of = (kind: string) =>
        containers.find((it) => it.Labels[labels.crew] === crewId && it.Labels[labels.kind] === kind)
      const [crew, sidecar] = await Promise.all(
        [of('crew'), of('sidecar')].map((it) => (it ? inspect(engine, it.Id) : null)),
      )
      observed.push(describe(crewId, { crew: crew ?? null, sidecar: sidecar ?? null }))
    }
  }
  await Promise.all(Array.from({ length: asked }, worker))
  return observed
}

function describe(crewId: string, containers: CrewContainers): ObservedCrew {
  const { crew, sidecar } = containers
  const workspaceId = (crew ?? sidecar)?.Config.Labels[labels.workspace] ?? null
  // A network or sidecar alone is left over from a crash while starting or removing the crew.
  if (!crew)
    return {
      crewId,
      workspaceId,
      state: 'error',
      containerId: '',
      contract: '',
      startedAt: null,
      healthy: false,
      made: null,
    }
  return {
    crewId,
    workspaceId,
    state: states[crew.State.Status] ?? 'error',
    containerId: crew.Id,
    contract: crew.Config.Labels[labels.contract] ?? '',
    startedAt: crew.State.Running ? crew.State.StartedAt : null,
    healthy: isHealthy(containers),
    made: {
      memoryMb: Math.round((crew.HostConfig.Memory ?? 0) / 1024 ** 2),
      cpus: (crew.HostConfig.NanoCpus ?? 0) / 1e9,
      image: crew.Config.Labels[labels.image] ?? '',
    },
  }
}

/** The image in which a crew works now, `fallback` where its settings name none; null where there is no container. */
export async function imageOfCrew(
  engine: Engine,
  naming: Naming,
  crewId: string,
  fallback: string,
): Promise<CrewImage | null> {
  const found = await crewContainerOf(engine, naming, crewId)
  if (!found) return null
  const { Image: id, Config } = await asking('inspecting a container', () => found.container.inspect())
  return { name: Config.Labels[labels.image] || fallback, id }
}

/** The crew's container in any state. */
export async function crewContainerOf(
  engine: Engine,
  naming: Naming,
  crewId: string,
): Promise<{ container: Container; running: boolean } | null> {
  const filters = labelFilter(naming, { [labels.crew]: crewId, [labels.kind]: 'crew' })
  const [found] = await asking('listing containers', () => engine.listContainers({ all: true, filters }))
  return found ? { container: engine.getContainer(found.Id), running: found.State === 'running' } : null
}

export const notRunning = () => new RuntimeError('not_running', "The crew's container is not running")
