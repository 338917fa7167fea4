import { noContainer } from '#kernel/absent'
import type { RuntimeService } from '#runtime/service-types'
import { answerCalls } from '../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarAnswer, SidecarCall, SidecarListener } from '../../daemon/runtime/types.ts'
import type { FakeRuntime } from './fake-runtime.ts'
import { type Workplace, workplace } from './runs.ts'

export interface AgentAtWork extends Workplace<FakeRuntime> {
  /** The run that ada is at work on. */
  runId: string
  /** A call of ada, as her sidecar hands it on; nobody waits for what people say to it. */
  ask(route: string, body: unknown, more?: Partial<SidecarCall>): Promise<SidecarAnswer>
}

let calls = 0

/** Where an agent may call everything: ada leads a crew that may do all, its container runs, and she is at work. */
export async function agentAtWork({
  config = {},
  ...options
}: Parameters<typeof workplace>[0] = {}): Promise<AgentAtWork> {
  const it = await workplace<FakeRuntime>({
    ...(options as object),
    config: { publicUrl: 'https://muster.example', ...config },
  })
  await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { agent_role: 'LEAD' })
  await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, {
    autonomy_level: 'full',
    behavior_mode: 'warn',
    reason: 'a test',
  })
  let listener: SidecarListener | undefined
  const onSidecarCall = (given: SidecarListener) => {
    listener = given
  }
  answerCalls(it.app, { onSidecarCall } as Partial<Runtime> as Runtime)
  const { run_id: runId } = await it.send(await it.openChat(), 'Work')
  await it.runtime.program()
  const status = async () => ({ ...noContainer, state: 'running' as const, containerId: 'box' })
  it.app.runtime = { ...it.app.runtime, status } as RuntimeService
  it.app.db.prepare("UPDATE crew_containers SET container_id = 'box' WHERE crew_id = ?").run(it.crewId)
  return {
    ...it,
    runId,
    ask: (route, body, more) =>
      listener!(
        it.crewId,
        { id: `call-${++calls}`, agentId: it.agentId, runId, route, body, ...more },
        AbortSignal.abort(),
      ),
  }
}
