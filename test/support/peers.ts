import { answerCalls } from '../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarAnswer, SidecarCall, SidecarListener } from '../../daemon/runtime/types.ts'
import { init, result, says } from './claude-lines.ts'
import type { FakeRuntime } from './fake-runtime.ts'
import { type Workplace, workplace } from './runs.ts'

export interface PeerPlace extends Workplace<FakeRuntime> {
  boId: string
  /** A call of an agent out of one of its runs, as the sidecar hands it on. */
  tool(agentId: string, runId: string, route: string, body: object, more?: More): Promise<SidecarAnswer>
  /** A run of ada's in a chat, with its program. */
  work(agentId?: string): Promise<string>
  /** The n-th program says this and ends. */
  answer(n: number, text: string): Promise<void>
  /** The run that answers the newest question. */
  newest(): { id: string; run_id: string; status: string; error: string | null; response: string | null }
}

type More = Partial<SidecarCall> & { signal?: AbortSignal }

let calls = 0

/** A crew of ada and bo, who may ask each other. */
export async function peerPlace(options: Parameters<typeof workplace>[0] = {}): Promise<PeerPlace> {
  const it = await workplace<FakeRuntime>(options as object)
  const boId = await it.mate('bo')
  let listener: SidecarListener | undefined
  const onSidecarCall = (given: SidecarListener) => {
    listener = given
  }
  answerCalls(it.app, { onSidecarCall } as Partial<Runtime> as Runtime)
  return {
    ...it,
    boId,
    tool: (agentId, runId, route, body, { signal = new AbortController().signal, ...more } = {}) =>
      listener!(it.crewId, { id: `peer-${++calls}`, agentId, runId, route, body, ...more }, signal),
    async work(agentId = it.agentId) {
      const count = it.runtime.programs.size
      const { run_id } = await it.send(await it.openChat(agentId), 'Work')
      await it.runtime.program(count)
      return run_id
    },
    async answer(n, text) {
      const program = await it.runtime.program(n)
      it.runtime.print(program, init, says(text), result({ result: text }))
      it.runtime.finish(program)
    },
    newest: () =>
      it.app.db.prepare('SELECT * FROM peer_conversations ORDER BY rowid DESC LIMIT 1').get() as ReturnType<
        PeerPlace['newest']
      >,
  }
}
