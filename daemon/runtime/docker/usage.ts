import type { Buffer } from 'node:buffer'
import type Docker from 'dockerode'
import { mostFiles } from '../disk/rules.ts'
import type { Usage } from '../disk/usage.ts'
import { RuntimeError } from '../errors.ts'
import type { CrewSpec } from '../types.ts'
import { demultiplex } from './attach.ts'
import { startNew } from './bring-up.ts'
import { hardened, volumeMount } from './containers.ts'
import { asking, type Engine, settle, unhurried } from './engine.ts'
import { labelFilter, labels, type Naming, volumeName, volumes } from './names.ts'
import { crewProfile } from './seccomp.ts'

const counterName = ({ prefix }: Naming, crewId: string) => `${prefix}-count-${crewId}`

/**
 * Measures a crew's volumes; null when it has none. Agents' folders are private, so a separate container measures them,
 * which may read everything but has no write access and no network. The engine's own report would walk the volumes of
 * all crews and add up apparent sizes.
 */
export async function countVolumes(engine: Engine, naming: Naming, spec: Owner, image: string): Promise<Usage | null> {
  const { Volumes } = await asking('listing volumes', () =>
    engine.listVolumes({ filters: labelFilter(naming, { [labels.crew]: spec.crewId }) }),
  )
  const there = new Set((Volumes ?? []).map(({ Name }) => Name))
  const mounted = Object.keys(volumes).filter((volume) => there.has(volumeName(naming, spec.crewId, volume)))
  if (!mounted.length) return null
  await removeCounter(engine, naming, spec.crewId)
  const container = await startNew(engine, counter(naming, spec, image, mounted))
  try {
    await unhurried('counting what a crew has stored', () => container.wait())
    return parse(
      await asking('reading what was counted', () => container.logs({ follow: false, stdout: true, stderr: true })),
    )
  } finally {
    await settle('removing a container', () => container.remove({ force: true }))
  }
}

/** Removes a measuring container that a crash left behind or that still runs, since it keeps the volumes in use. */
export const removeCounter = (engine: Engine, naming: Naming, crewId: string): Promise<void> =>
  settle('removing a container', () => engine.getContainer(counterName(naming, crewId)).remove({ force: true }))

type Owner = Pick<CrewSpec, 'crewId' | 'slug' | 'workspaceId'>

/** The measuring container. It has no crew label, so that it does not count as one of the crew's containers. */
function counter(naming: Naming, spec: Owner, image: string, mounted: string[]): Docker.ContainerCreateOptions {
  return {
    name: counterName(naming, spec.crewId),
    Image: image,
    User: '0:0',
    Entrypoint: [
      'node',
      '--max-old-space-size=96',
      '/opt/muster/usage.cjs',
      String(mostFiles),
      ...mounted.map((volume) => `/data/${volume}`),
    ],
    Cmd: [],
    WorkingDir: '/',
    Labels: { [labels.managed]: 'true', [labels.kind]: 'counter' },
    HostConfig: {
      ...hardened(192, 0.25, 32, crewProfile),
      CapAdd: ['DAC_READ_SEARCH'],
      NetworkMode: 'none',
      Mounts: mounted.map((volume) => {
        const Source = volumeName(naming, spec.crewId, volume)
        return volumeMount(naming, spec, { Source, Target: `/data/${volume}`, ReadOnly: true })
      }),
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
      RestartPolicy: { Name: 'no' },
    } as Docker.HostConfig,
  }
}

function parse(logs: Buffer): Usage {
  const said = { stdout: '', stderr: '' }
  demultiplex((source, chunk) => {
    said[source === 2 ? 'stderr' : 'stdout'] += chunk.toString('utf8')
  })(logs)
  const [line] = said.stdout.split('\n')
  if (!line)
    throw new RuntimeError(
      'refused',
      `What a crew has stored could not be counted: ${said.stderr.trim() || 'the program was ended'}`,
    )
  return JSON.parse(line) as Usage
}
