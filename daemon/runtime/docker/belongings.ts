import type { Belonging } from '../service-types.ts'
import { asking, type Engine } from './engine.ts'
import { labels, type Naming } from './names.ts'

type Labelled = Readonly<Record<string, string>> | undefined

/** Everything on the engine with Muster's label, of any installation. */
export async function findBelongings(engine: Engine, { installation }: Naming): Promise<Belonging[]> {
  const filters = { label: [`${labels.managed}=true`] }
  const [containers, networks, { Volumes: volumes }] = await asking('looking for what was made here', () =>
    Promise.all([
      engine.listContainers({ all: true, filters }),
      engine.listNetworks({ filters }),
      engine.listVolumes({ filters }),
    ]),
  )
  const found = (kind: Belonging['kind'], name: string, its: Labelled): Belonging[] => {
    const crewId = its?.[labels.crew]
    return crewId ? [{ kind, name, crewId, own: its[labels.installation] === installation }] : []
  }
  return [
    ...containers.flatMap((it) => found('container', it.Names[0]?.replace(/^\//, '') ?? it.Id, it.Labels)),
    ...networks.flatMap((it) => found('network', it.Name, it.Labels)),
    ...(volumes ?? []).flatMap((it) => found('volume', it.Name, it.Labels)),
  ]
}
