import { createHash } from 'node:crypto'
import type { CrewSpec } from '../types.ts'
import { labelsOf } from './containers.ts'
import { asking, type Engine, engineError } from './engine.ts'
import { labelFilter, labels, type Naming, networkName } from './names.ts'

/** Crew networks take /28 blocks of 10.181.0.0/16: about 30 of an engine's default blocks would use up its pool. */
const blocks = 4096
const tries = 128

const subnet = (block: number) => `10.181.${block >> 4}.${(block & 15) << 4}/28`

/** Creates the crew's network in the first free block, beginning at one that depends on the crew. */
export async function ensureNetwork(engine: Engine, naming: Naming, spec: CrewSpec, contract: string): Promise<void> {
  const there = await asking('listing networks', () =>
    engine.listNetworks({ filters: labelFilter(naming, { [labels.crew]: spec.crewId }) }),
  )
  const name = networkName(naming, spec.crewId)
  // A server that was restored under another prefix may find one of the server that it was made of.
  if (there.some(({ Name }) => Name === name)) return
  const first = createHash('sha256').update(spec.crewId).digest().readUInt16BE(0) % blocks
  for (let attempt = 0; attempt < tries; attempt++) {
    try {
      await engine.createNetwork({
        Name: name,
        Driver: 'bridge',
        CheckDuplicate: true,
        EnableIPv6: false,
        IPAM: { Driver: 'default', Config: [{ Subnet: subnet((first + attempt) % blocks) }] },
        Labels: labelsOf(naming, spec, 'network', contract),
      })
      return
    } catch (error) {
      if (!/overlaps/i.test((error as Error).message) || attempt === tries - 1)
        throw engineError(error, 'making a network')
    }
  }
}
