import type Docker from 'dockerode'
import type { AgentSpec, CrewSpec, Progress } from '../types.ts'
import { crewContainer, labelsOf, sidecarContainer } from './containers.ts'
import { archive, asking, type Container, type Engine, type Entry, settle } from './engine.ts'
import { ids, labelFilter, labels, type Naming, secretsName, volumeName, volumes } from './names.ts'
import { ensureNetwork } from './network.ts'
import { secretsFolder } from './secrets.ts'

export interface Images {
  crew: string
  sidecar: string
}

/**
 * Creates a crew's sidecar and container on its volumes, replacing any that exist: containers hold no data.
 * `onSidecar` gets the sidecar before the crew joins its network.
 */
export async function bringUp(
  engine: Engine,
  naming: Naming,
  spec: CrewSpec,
  contract: string,
  images: Images,
  progress: Progress,
  onSidecar: (sidecar: Container) => Promise<void>,
): Promise<Container> {
  await removeContainers(engine, naming, spec.crewId)
  progress.step('preparing network and volumes')
  await ensureNetwork(engine, naming, spec, contract)
  await Promise.all(Object.keys(volumes).map((volume) => ensureVolume(engine, naming, spec, contract, volume)))
  progress.step('starting the sidecar')
  const sidecar = await startNew(engine, sidecarContainer(naming, spec, images.sidecar, contract))
  await onSidecar(sidecar)
  progress.step('starting the container')
  return startNew(engine, crewContainer(naming, spec, images.crew, contract, sidecar.id))
}

/** Creates and starts a container, with a lower limit of open files if the engine may not raise its own. */
export async function startNew(engine: Engine, options: Docker.ContainerCreateOptions): Promise<Container> {
  const container = await asking(`making ${options.name}`, () => engine.createContainer(options))
  try {
    await asking(`starting ${options.name}`, () => container.start())
    return container
  } catch (error) {
    const limits = options.HostConfig?.Ulimits as Ulimit[]
    if (!/setting rlimit/.test((error as Error).message) || limits.every(({ Soft, Hard }) => Soft === Hard)) throw error
    await settle('removing a container', () => container.remove({ force: true }))
    return startNew(engine, {
      ...options,
      HostConfig: { ...options.HostConfig, Ulimits: limits.map((it) => ({ ...it, Hard: it.Soft })) },
    })
  }
}

interface Ulimit {
  Name: string
  Soft: number
  Hard: number
}

function ensureVolume(
  engine: Engine,
  naming: Naming,
  spec: CrewSpec,
  contract: string,
  volume: string,
): Promise<unknown> {
  const Labels = labelsOf(naming, spec, 'volume', contract)
  return asking('making a volume', () => engine.createVolume({ Name: volumeName(naming, spec.crewId, volume), Labels }))
}

/** Order of removal: the ender shares the crew's process namespace, and the crew the sidecar's network. */
const order = ['ender', 'crew', 'sidecar']
const inOrder = (found: Docker.ContainerInfo[]) => {
  const rank = ({ Labels }: Docker.ContainerInfo) => order.indexOf(Labels[labels.kind] ?? '')
  return found.sort((a, b) => rank(a) - rank(b))
}

/** Removes a crew's containers and its volume of secrets, which is not data. */
export async function removeContainers(engine: Engine, naming: Naming, crewId: string): Promise<void> {
  const found = await asking('listing containers', () =>
    engine.listContainers({ all: true, filters: labelFilter(naming, { [labels.crew]: crewId }) }),
  )
  for (const { Id } of inOrder(found))
    await settle('removing a container', () => engine.getContainer(Id).remove({ force: true }))
  // A volume that is still in use is refused, and removed another time.
  await settle('removing a volume', () => engine.getVolume(secretsName(naming, crewId)).remove()).catch(() => {})
}

export async function stopContainers(engine: Engine, naming: Naming, crewId: string, seconds: number): Promise<void> {
  const found = await asking('listing containers', () =>
    engine.listContainers({ filters: labelFilter(naming, { [labels.crew]: crewId }) }),
  )
  for (const { Id } of inOrder(found))
    await settle('stopping a container', () => engine.getContainer(Id).stop({ t: seconds }))
}

export async function removeNetworkAndVolumes(
  engine: Engine,
  naming: Naming,
  crewId: string,
  data: boolean,
): Promise<void> {
  const filters = labelFilter(naming, { [labels.crew]: crewId })
  for (const { Id } of await asking('listing networks', () => engine.listNetworks({ filters }))) {
    await settle('removing a network', () => engine.getNetwork(Id).remove())
  }
  if (!data) return
  const { Volumes } = await asking('listing volumes', () => engine.listVolumes({ filters }))
  for (const { Name } of Volumes ?? []) await settle('removing a volume', () => engine.getVolume(Name).remove())
}

/** Creates the agents' folders. Those that the watcher may read are setgid, so that their content keeps its group. */
export async function placeAgents(container: Container, agents: AgentSpec[]): Promise<void> {
  const folders = (name: (slug: string) => string, gid: number, mode: number): Entry[] =>
    agents.map(({ slug, uid }) => ({ name: name(slug), uid, gid, mode }))
  const own = (slug: string) => slug
  const wanted: [target: string, entries: Entry[]][] = [
    [volumes.crew, folders((slug) => `agents/${slug}`, ids.crewGroup, 0o700)],
    [volumes.workspace, folders(own, ids.crewGroup, 0o700)],
    [volumes.output, folders(own, ids.watcher, 0o2750)],
    [volumes.spool, folders(own, ids.watcher, 0o2750)],
    [secretsFolder, folders(own, ids.crewGroup, 0o700)],
  ]
  await Promise.all(
    wanted.map(async ([path, entries]) => {
      const tar = await archive(entries)
      return asking('making folders for agents', () => container.putArchive(tar, { path }))
    }),
  )
}
