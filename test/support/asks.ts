import { answerCalls } from '../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarAnswer, SidecarCall, SidecarListener } from '../../daemon/runtime/types.ts'
import { init, says } from './claude-lines.ts'
import type { FakeRuntime } from './fake-runtime.ts'
import type { Person } from './index.ts'
import { type Workplace, workplace } from './runs.ts'

export type AskPlace = Workplace<FakeRuntime> & {
  /** A call of the agent, as its sidecar hands it on. */
  ask(call: Partial<SidecarCall>): Promise<SidecarAnswer>
}

let calls = 0

export async function askPlace(options: Parameters<typeof workplace>[0] = {}): Promise<AskPlace> {
  const it = await workplace<FakeRuntime>(options as object)
  let listener: SidecarListener | undefined
  const onSidecarCall = (given: SidecarListener) => {
    listener = given
  }
  answerCalls(it.app, { onSidecarCall } as Partial<Runtime> as Runtime)
  return {
    ...it,
    ask: (call) =>
      listener!(
        it.crewId,
        {
          id: `call-${++calls}`,
          agentId: it.agentId,
          runId: null,
          route: '/ask-human',
          body: { question: 'Which one?' },
          ...call,
        },
        new AbortController().signal,
      ),
  }
}

/** A chat in which the agent has asked something and waits, its program gone. */
export async function asked(
  it: AskPlace,
  { question = 'Which one?', who = 'OWNER' as Person | 'OWNER', context = undefined as string | undefined } = {},
) {
  const chat = await it.openChat()
  const count = it.runtime.programs.size
  const { run_id } = await it.send(chat, 'Work', who)
  const program = await it.runtime.program(count)
  it.runtime.print(program, init, says('I look.'))
  const { body } = await it.ask({ runId: run_id, body: { question, ...(context && { context }) } })
  const { inbox_item_id: item, session_id: session } = body as { inbox_item_id: string; session_id: string }
  await it.runs.ended(run_id)
  return { chat, run_id, program, item, session, next: () => it.runtime.program(count + 1) }
}

export const act = (
  it: AskPlace,
  item: string,
  body: object,
  who: Person | 'OWNER' | 'MANAGER' | 'MEMBER' | 'VIEWER' = 'OWNER',
) => it.call(who, 'POST', `/inbox/${item}/act`, body)
