import { expect } from 'vitest'
import { answerCalls } from '../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarAnswer, SidecarListener } from '../../daemon/runtime/types.ts'
import { init, result, says } from './claude-lines.ts'
import type { FakeRuntime } from './fake-runtime.ts'
import { type Workplace, workplace } from './runs.ts'

export interface Delegating extends Workplace<FakeRuntime> {
  /** Ada, who is asked by people; bob and cleo, her mates. */
  bob: string
  cleo: string
  chat: string
  /** The run that ada is at work on in her chat. */
  runId: string
  /** A call of an agent in one of its runs; `signal` is its connection. */
  ask(run: { agent: string; run: string }, route: string, body: object, signal?: AbortSignal): Promise<SidecarAnswer>
  /** Gives work to an agent as ada in her run, or as the given one. */
  assign(target: string, task?: string, by?: { agent: string; run: string }): Promise<SidecarAnswer>
  /** The program says these words and ends. */
  says(run: string, words: string): Promise<void>
  /** The program of a run, once it is started. */
  started(run: string): Promise<Awaited<ReturnType<FakeRuntime['program']>>>
  shown(id: string): Promise<Record<string, unknown> & { run_id: string; state: string }>
  /** All changes that follow from what has happened are made. */
  settled(): Promise<void>
}

let calls = 0

/** A crew in which agents may delegate: ada is at work in a chat. */
export async function delegating(
  options: Parameters<typeof workplace>[0] & { level?: string; most?: number; began?: boolean } = {},
): Promise<Delegating> {
  const { level = 'full', most = 2, began = true, ...more } = options
  const it = await workplace<FakeRuntime>(more as object)
  let listener: SidecarListener | undefined
  const onSidecarCall = (given: SidecarListener) => {
    listener = given
  }
  answerCalls(it.app, { onSidecarCall } as Partial<Runtime> as Runtime)
  const policy = { autonomy_level: level, behavior_mode: 'warn', reason: 'a test' }
  expect((await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, policy)).status).toBe(200)
  await it.call('OWNER', 'PATCH', `/crews/${it.crewId}`, { max_concurrent_agents: most })
  const [bob, cleo, chat] = [await it.mate('bob'), await it.mate('cleo'), await it.openChat()]
  const runId = began ? (await it.send(chat, 'Work')).run_id : ''
  const started = async (run: string) => {
    for (let n = 0; ; n++) {
      const program = await it.runtime.program(n)
      if (program.spec.runId === run) return program
    }
  }
  if (began) await started(runId)
  const ask: Delegating['ask'] = ({ agent, run }, route, body, signal = new AbortController().signal) =>
    listener!(it.crewId, { id: `call-${++calls}`, agentId: agent, runId: run, route, body }, signal)
  return {
    ...it,
    bob,
    cleo,
    chat,
    runId,
    ask,
    started,
    assign: (target, task = 'Count the files', by = { agent: it.agentId, run: runId }) =>
      ask(by, '/assign', { target, task }),
    async says(run, words) {
      const program = await started(run)
      it.runtime.print(program, init, says(words), result())
      it.runtime.finish(program)
      await it.runs.ended(run)
      await it.app.idle()
    },
    async shown(id) {
      const { body, status, text } = await it.call('OWNER', 'GET', `/assignments/${id}`)
      expect(status, text).toBe(200)
      return body
    },
    async settled() {
      for (let n = 0; n < 5; n++) {
        await it.app.idle()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

/** Ada is asked in a channel. `run` is what she works on; `heard` is what the whole workspace is told from then on. */
export async function askedInRoom(it: Delegating): Promise<{ run: string; heard: unknown[] }> {
  const heard: unknown[] = []
  it.app.bus.on('broadcast', (message) => {
    if (message.channel.startsWith('workspace:')) heard.push(message)
  })
  const opening = { kind: 'channel', title: 'Plans', agent_id: it.agentId, member_ids: [], client_id: 'r1' }
  const path = `/conversations/${(await it.call('OWNER', 'POST', '/conversations', opening)).body.id}`
  await it.call('OWNER', 'POST', `${path}/messages`, { content: '@ada look', client_id: 'm1' })
  const run = (await it.call('OWNER', 'GET', path)).body.run_id
  await it.started(run)
  return { run, heard }
}
