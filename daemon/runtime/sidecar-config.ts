import type { App } from '#kernel/app'
import { deliveryOf } from '../features/credentials/delivery/service.ts'
import type { DesiredCrew } from '../features/crews/containers/service.ts'
import { originOf } from '../features/runs/chains/service.ts'
import { workingOfAgent } from '../features/runs/service.ts'
import { decoysOf } from '../features/tripwires/service.ts'
import { providers } from '../providers/index.ts'
import { agentKey } from './agent-keys.ts'
import type { AgentSpec, SidecarConfig } from './types.ts'

/**
 * Whether an agent works on what another program sent, also by way of other agents. All that it does meanwhile is
 * restricted: its processes share a uid.
 */
export const isCalled = (app: App, agentId: string, working = workingOfAgent(app, agentId)): boolean =>
  working.some((run) => originOf(app, run) === 'WEBHOOK')

/**
 * What a crew's sidecar shall know now: its network policy, and the model keys of each agent under that agent's own
 * dummy key. `scripts` are the users as which scripts are at work: they reach the hosts of the policy, and no model.
 */
export function sidecarConfig(
  app: App,
  { spec }: Pick<DesiredCrew, 'spec'>,
  scripts: readonly AgentSpec[] = [],
): SidecarConfig {
  const agents = spec.agents.map(
    ({ agentId, slug, uid }) =>
      [
        agentKey(app, agentId),
        {
          ...{ agentId, slug, uid, credentials: deliveryOf(app, agentId).models },
          ...(isCalled(app, agentId) && { restricted: true }),
        },
      ] as const,
  )
  const decoys = decoysOf(app, spec.crewId).map(({ id, value }) => ({ id, value }))
  const others = scripts.map((it) => [agentKey(app, it.agentId), { ...it, credentials: [] }] as const)
  return {
    network: spec.network,
    ...(decoys.length > 0 && { decoys }),
    agents: Object.fromEntries([...agents, ...others]),
    upstreams: Object.fromEntries(
      providers.flatMap((it) => (it.vendor ? [[it.name, app.config.vendor[it.address!.path]!]] : [])),
    ),
  }
}
