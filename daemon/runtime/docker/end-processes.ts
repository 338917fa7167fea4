import type Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import type { EndRequest } from '../spool/end-processes.ts'
import { enderContainer } from './containers.ts'
import { asking, type Container, type Engine, settle } from './engine.ts'
import { run } from './exec.ts'
import { ids, labelFilter, labels, type Naming } from './names.ts'

/** Runs as its own uid, with no capability but setuid. */
const powers = ['setpriv', '--reuid', String(ids.ender), '--inh-caps=+setuid', '--ambient-caps=+setuid', '--']

/**
 * Starts the container that ends processes in a crew, unless it exists. It runs as long as the crew's container, since
 * it might not start when it is needed: an agent that suspends a command which the engine starts for it blocks all
 * requests about that container. For the same reason nothing here inspects the crew's container.
 */
export async function ensureEnder(engine: Engine, naming: Naming, crewId: string): Promise<Container | null> {
  const filters = labelFilter(naming, { [labels.crew]: crewId })
  const found = await asking('listing containers', () => engine.listContainers({ all: true, filters }))
  const of = (kind: string) => found.find((it) => it.Labels[labels.kind] === kind)
  const [crew, sidecar, ender] = [of('crew'), of('sidecar'), of('ender')]
  if (crew?.State !== 'running' || !sidecar) return null
  if (ender?.State === 'running') return engine.getContainer(ender.Id)
  if (ender) await settle('removing a container', () => engine.getContainer(ender.Id).remove({ force: true }))
  return start(engine, enderContainer(naming, crew, sidecar.ImageID))
}

async function start(engine: Engine, options: Docker.ContainerCreateOptions): Promise<Container | null> {
  const container = await asking('making what ends processes', () => engine.createContainer(options))
  try {
    await asking('starting what ends processes', () => container.start())
    return container
  } catch (error) {
    await settle('removing a container', () => container.remove({ force: true }))
    throw error
  }
}

/** Ends processes of agents in a crew, whatever they do to prevent it. A stopped container has no processes. */
export async function endProcesses(
  engine: Engine,
  naming: Naming,
  crewId: string,
  program: string,
  request: EndRequest,
): Promise<void> {
  const ender = await ensureEnder(engine, naming, crewId)
  if (!ender) return
  const argv = [...powers, 'node', '-e', program, JSON.stringify(request)]
  const { code, stderr } = await run(ender, { user: '0:0', argv })
  if (code !== 0) throw new RuntimeError('refused', `Processes could not be ended: ${stderr.trim() || code}`)
}
