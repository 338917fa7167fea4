import type { App } from '#kernel/app'
import { deliveryOf } from '../features/credentials/delivery/service.ts'
import type { DesiredCrew } from '../features/crews/containers/service.ts'
import { providers } from '../providers/index.ts'
import { agentKey } from './agent-keys.ts'
import type { SidecarConfig } from './types.ts'

/**
 * What a crew's sidecar shall know now: its network policy, and the model keys of each agent under that agent's own
 * dummy key.
 */
export function sidecarConfig(app: App, { spec }: Pick<DesiredCrew, 'spec'>): SidecarConfig {
  const agents = spec.agents.map(
    ({ agentId, slug, uid }) =>
      [agentKey(app, agentId), { agentId, slug, uid, credentials: deliveryOf(app, agentId).models }] as const,
  )
  return {
    network: spec.network,
    agents: Object.fromEntries(agents),
    upstreams: Object.fromEntries(
      providers.flatMap((it) => (it.vendor ? [[it.name, app.config.vendor[it.address!.path]!]] : [])),
    ),
  }
}
