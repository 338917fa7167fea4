import type { Static } from 'typebox'
import type { PortExposure } from '#contract/ports'
import { noContainer } from '#kernel/absent'
import type { ContainerStatus, RuntimeService } from '#runtime/service-types'
import type { Runtime } from '#runtime/types'
import { FakeRuntime } from './fake-runtime.ts'
import type { Answer } from './index.ts'
import { type Workplace, workplace } from './runs.ts'

export interface Office extends Workplace<Runtime> {
  /** What the engine says of the crew's container. */
  container: ContainerStatus
  /** Puts the container on record, as the reconciler does. */
  own(): void
  expose(more?: object): Promise<Answer>
  revoke(id: string, body?: unknown): Promise<Answer>
  listed(status?: string): Promise<Static<typeof PortExposure>[]>
}

/** A crew whose container runs, with an agent that may open ports. */
export async function office(
  { config = {}, ...options }: Parameters<typeof workplace>[0] = {},
  connect?: RuntimeService['connect'],
): Promise<Office> {
  const it = await workplace<Runtime>({
    ...options,
    runtime: new FakeRuntime(),
    config: { publicUrl: 'https://muster.example', ...config },
  })
  const container: ContainerStatus = { ...noContainer, state: 'running', containerId: 'box' }
  it.app.runtime = { ...it.app.runtime, status: async () => container, ...(connect && { connect }) } as RuntimeService
  return {
    ...it,
    container,
    own: () =>
      void it.app.db.prepare("UPDATE crew_containers SET container_id = 'box' WHERE crew_id = ?").run(it.crewId),
    expose: (more = {}) =>
      it.call(
        null,
        'POST',
        '/internal/port-expose',
        {
          workspace_id: it.workspace,
          crew_id: it.crewId,
          agent_id: it.agentId,
          container_id: 'box',
          port: 3000,
          ...more,
        },
        { 'x-internal-token': it.app.internalTokens.ofWorkspace(it.workspace) },
      ),
    revoke: (id, body) => it.call('MANAGER', 'POST', `/crews/${it.crewId}/port-expose/${id}/revoke`, body),
    listed: async (status) =>
      (await it.call('VIEWER', 'GET', `/crews/${it.crewId}/port-expose${status ? `?status=${status}` : ''}`)).body,
  }
}
