import { afterEach, describe, expect, it, vi } from 'vitest'
import { fact } from '#contract/entries'
import { noContainer } from '#kernel/absent'
import { problem } from '#kernel/problem'
import { agentKey } from '../../../daemon/runtime/agent-keys.ts'
import { calls, gets, init, result, says, thinks } from '../../support/claude-lines.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { refuseWrites } from '../../support/refusing.ts'
import { attachRuns, type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>

afterEach(() => void vi.useRealTimers())

/** A chat with a run whose program is started. */
async function working(it: Place, content = 'Work') {
  const chat = await it.openChat()
  const count = it.runtime.programs.size
  const { run_id, message_id } = await it.send(chat, content)
  return { chat, run_id, message_id, program: await it.runtime.program(count) }
}

/** A run whose daemon dies before it learns that the program was started; `had`: it was. */
async function launching(it: Place, had: boolean) {
  const start = it.runtime.startRun.bind(it.runtime)
  it.runtime.startRun = async (spec) => {
    if (had) await start(spec)
    return new Promise(() => undefined)
  }
  const chat = await it.openChat()
  const { run_id } = await it.send(chat, 'Work')
  await expect.poll(() => it.app.db.prepare('SELECT phase FROM runs').pluck().get()).toBe('launching')
  const program = had ? await it.runtime.program() : null
  await it.runs.close()
  it.runtime.startRun = start
  return { chat, run_id, program }
}

const messagesOf = async (it: Place, chat: string) =>
  (await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages
const runOf = async (it: Place, id: string) => (await it.call('OWNER', 'GET', `/runs/${id}`)).body
const statusOf = async (it: Place) => (await it.call('OWNER', 'GET', `/agents/${it.agentId}`)).body.status
const entriesOf = (it: Place, run: string) => it.entries().filter(({ trace_id }) => trace_id === run)
const terminals = (it: Place, run: string) =>
  entriesOf(it, run).filter(({ entry_type }) => /^run\.(completed|failed|cancelled|timeout)$/.test(entry_type))

/** Frames of a chat from now on. */
function watch(it: Place, chat: string, after: number | null = 0) {
  const frames: { seq: number; type: string; content?: string; metadata?: Record<string, unknown> }[] = []
  const { replay } = it.app.runs.watch(chat, after, {
    frame: ({ seq, body }) => frames.push({ seq, ...JSON.parse(body) }),
    closed: () => undefined,
  })
  frames.unshift(...replay.map(({ seq, body }) => ({ seq, ...JSON.parse(body) })))
  return frames
}

describe('a turn', () => {
  it('shows parts without words as empty ones', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    it.app.db.prepare('UPDATE chat_messages SET parts_json = \'[{"type":"text"}]\' WHERE role = \'assistant\'').run()
    expect((await messagesOf(it, chat))[1].parts).toEqual([{ type: 'text', content: '' }])
  })

  it('puts the use of every credential that it was given on record', async () => {
    const it = await workplace()
    const make = async (name: string) =>
      (
        await it.call('OWNER', 'POST', '/credentials', {
          name,
          type: 'API_KEY',
          provider: 'ANTHROPIC',
          value: `sk-${name}`,
        })
      ).body.id as string
    const [given, other] = [await make('given'), await make('other')]
    await it.call('OWNER', 'POST', `/agents/${it.agentId}/credentials`, {
      credential_id: given,
      env_var_name: 'ANTHROPIC_API_KEY',
    })
    const { run_id } = await working(it)
    const uses = async (id: string) =>
      ((await it.call('OWNER', 'GET', `/credentials/${id}/audit`)).body as { event: string; detail: object }[]).filter(
        ({ event }) => event === 'USE',
      )
    expect(await uses(given)).toMatchObject([{ detail: { agent_id: it.agentId, run_id } }])
    expect(await uses(other)).toEqual([])
    expect((await it.call('OWNER', 'GET', `/credentials/${given}`)).body.last_used_at).toBe(it.app.now())
  })

  it('is stored with everything that the agent said and did', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it, 'List the files')
    it.runtime.print(
      program,
      init,
      thinks('hm'),
      says('I look. '),
      calls('t1', 'Bash', { command: 'ls' }),
      gets('t1', 'a.txt'),
      says('One file.'),
      result(),
    )
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const [, answer] = await messagesOf(it, chat)
    expect(answer).toMatchObject({
      role: 'assistant',
      agent_id: it.agentId,
      content: 'I look. \n\nOne file.',
      tool_summary: 'Bash',
      metadata: { run_id, status: 'COMPLETED' },
      parts: [
        { type: 'thinking', content: 'hm' },
        { type: 'text', content: 'I look. ' },
        {
          type: 'tool_call',
          content: 'Bash',
          tool_name: 'Bash',
          tool_id: 't1',
          metadata: { input: { command: 'ls' } },
        },
        { type: 'tool_result', content: 'a.txt', tool_id: 't1' },
        { type: 'text', content: 'One file.' },
      ],
    })
    expect(entriesOf(it, run_id).map(({ entry_type }) => entry_type)).toEqual([
      'chat.user_message',
      'run.started',
      'exec.command',
      'run.session_init',
      'exec.command',
      'chat.agent_response',
      'run.completed',
    ])
    const [, , start, session, end, response, completed] = entriesOf(it, run_id)
    expect(start!.payload).toMatchObject({
      phase: 'start',
      adapter: 'CLAUDE_CODE',
      cmd: expect.stringMatching(/^claude --print/),
    })
    expect(session!.payload).toMatchObject({ model: 'scripted-1', cli_version: '2.1.197', tool_count: 2 })
    expect(end!.payload).toMatchObject({ phase: 'end', exit_code: 0 })
    expect(response).toMatchObject({
      actor_type: 'agent',
      actor_id: it.agentId,
      payload: { chat_id: chat, agent_slug: 'ada', content: 'I look. \n\nOne file.' },
    })
    expect(completed!.payload).toMatchObject({
      exit_code: 0,
      metadata: {
        model: 'scripted-1',
        session_id: 's1',
        input_tokens: 30,
        output_tokens: 12,
        total_cost_usd: 0.25,
        num_turns: 2,
      },
    })
    expect(await runOf(it, run_id)).toMatchObject({
      status: 'COMPLETED',
      exit_code: 0,
      error_message: null,
      model: 'scripted-1',
    })
    expect(await statusOf(it)).toBe('IDLE')
    expect(it.runtime.discarded).toEqual([run_id])
  })

  it('tells the agent what its session does not know, but not how a run failed', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it, 'My name is Ann')
    it.runtime.print(program, init, says('Hello Ann'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const failed = await it.send(chat, 'Fail')
    it.runtime.finish(await it.runtime.program(1), { kind: 'exit', code: 3, timedOut: false })
    await it.runs.ended(failed.run_id)
    await it.send(chat, 'Who am I?')
    const { spec } = await it.runtime.program(2)
    expect(spec.stdin).toMatch(/Fail[\s\S]*Who am I\?$/)
    expect(spec.stdin).not.toMatch(/code 3|Hello Ann/)
    expect(JSON.stringify(spec.argv)).not.toContain('Ann')
  })

  it('says in message, run and journal that a line was too long to be read', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, init, says('Before'))
    const line = Buffer.alloc(17 * 1024 * 1024, 'x')
    it.runtime.printRaw(program, Buffer.concat([line, Buffer.from('\n')]))
    it.runtime.finish(program)
    await it.app.runs.ended(run_id)
    const mark = '[A line of 17825792 bytes was left out]'
    expect((await messagesOf(it, chat)).at(-1)).toMatchObject({
      content: `Before\n\n${mark}`,
      parts: [{ content: 'Before' }, { content: mark, metadata: { bytes: 17_825_792 } }, { type: 'error' }],
    })
    const counted = { left_out_lines: 1, left_out_bytes: 17_825_792 }
    const error_message =
      'The client ended before its turn was over; lines of its output that were left out for their length: 1'
    expect(await runOf(it, run_id)).toMatchObject({ ...counted, error_message })
    expect(terminals(it, run_id)).toMatchObject([
      { entry_type: 'run.failed', payload: { error_message, metadata: counted } },
    ])
  })

  it('never shows the key that the agent was given', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    const key = agentKey(it.app, it.agentId)
    expect(program.spec.env['ANTHROPIC_API_KEY']).toBe(key)
    const frames = watch(it, chat)
    it.runtime.print(
      program,
      init,
      says(`It is ${key}!`),
      calls('t1', 'Bash', { command: `echo ${key}` }),
      gets('t1', key),
      result(),
    )
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(JSON.stringify([frames, await messagesOf(it, chat), it.entries()])).not.toContain(key.slice(0, 40))
    expect((await messagesOf(it, chat))[1].content).toBe('It is [redacted]!')
  })

  it('leaves the agent running while another of its runs goes on', async () => {
    const it = await workplace()
    const [first, second] = [await working(it), await working(it)]
    it.runtime.finish(first.program)
    await it.runs.ended(first.run_id)
    expect(await statusOf(it)).toBe('RUNNING')
    it.runtime.print(second.program, says('x'))
    it.runtime.finish(second.program)
    await it.runs.ended(second.run_id)
    expect(await statusOf(it)).toBe('IDLE')
  })

  it('keeps its place in the order of frames when the next one begins at once', async () => {
    const it = await workplace()
    const { chat, program } = await working(it)
    const frames = watch(it, chat)
    const accepted = new Promise<void>((resolve) => {
      // Sent by somebody who hears of the end before anybody else: in the same turn of the event loop as the end is
      // stored.
      it.app.bus.on('entry', ({ entry }) => {
        if (entry.entry_type === 'run.completed')
          it.call('OWNER', 'POST', `/chats/${chat}/messages`, { content: 'Next' }).then(() => resolve())
      })
    })
    it.runtime.print(program, says('x'))
    it.runtime.finish(program)
    await accepted
    await it.runtime.program(1)
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, n) => n + 1))
    const order = frames.map(({ type }) => type)
    expect(order.indexOf('done')).toBeLessThan(order.lastIndexOf('run_begin'))
  })
})

describe('a run fails', () => {
  const fails = async (
    it: Place,
    print: (object | string)[],
    ...end: Parameters<FakeRuntime['finish']> extends [unknown, ...infer E] ? E : never
  ) => {
    const { chat, run_id, program } = await working(it)
    const frames = watch(it, chat)
    it.runtime.print(program, ...print)
    it.runtime.finish(program, ...end)
    await it.runs.ended(run_id)
    return { chat, run_id, frames, run: await runOf(it, run_id), messages: await messagesOf(it, chat) }
  }

  it('that says nothing', async () => {
    const it = await workplace()
    const { run_id, run, frames, messages } = await fails(it, [init])
    expect(run).toMatchObject({ status: 'FAILED', error_message: 'The agent gave no answer' })
    expect(messages[1]).toMatchObject({
      role: 'system',
      parts: [{ type: 'error', content: 'The agent gave no answer', metadata: { reason: 'no_output', run_id } }],
    })
    expect(frames.slice(-2)).toMatchObject([{ type: 'error', metadata: { reason: 'no_output' } }, { type: 'done' }])
    expect(await statusOf(it)).toBe('ERROR')
  })

  it('that exits with an error, and keeps what it had said', async () => {
    const it = await workplace()
    const { run, messages } = await fails(it, [says('half')], { kind: 'exit', code: 7, timedOut: false }, 'it broke')
    expect(run).toMatchObject({
      status: 'FAILED',
      exit_code: 7,
      error_message: 'The client ended with code 7: it broke',
    })
    expect(messages[1]).toMatchObject({
      role: 'assistant',
      content: 'half',
      parts: [{ type: 'text' }, { type: 'error' }],
    })
  })

  it('that reports an error although it exits well', async () => {
    const it = await workplace()
    const { run_id, run } = await fails(it, [
      says('x'),
      result({ is_error: true, subtype: 'success', result: 'API Error: 529 Overloaded' }),
      says('y'),
    ])
    expect(run).toMatchObject({ status: 'FAILED', exit_code: 0, error_message: expect.stringContaining('overloaded') })
    expect(entriesOf(it, run_id).filter(({ entry_type }) => entry_type === 'exec.command')[1]).toMatchObject({
      severity: 'error',
      payload: { in_band_error: expect.stringContaining('overloaded') },
    })
  })

  it('that took too long, with its own kind of end', async () => {
    const it = await workplace()
    const { run_id, run, messages } = await fails(it, [says('half')], { kind: 'exit', code: 124, timedOut: true })
    expect(run.status).toBe('TIMEOUT')
    expect(terminals(it, run_id)).toMatchObject([{ entry_type: 'run.timeout', severity: 'error' }])
    expect(messages[1].content).toBe('half')
    expect(await statusOf(it)).toBe('ERROR')
  })

  it.each([
    [{ kind: 'signal', signal: 'SIGKILL' } as const, 'SIGKILL'],
    [{ kind: 'lost', reason: 'no record' } as const, 'no record'],
  ])('whose process is gone: %j', async (end, reason) => {
    const it = await workplace()
    const { run } = await fails(it, [says('half')], end)
    expect(run).toMatchObject({ status: 'FAILED', error_message: expect.stringContaining(reason) })
  })

  it('that repeats itself is ended', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, ...[1, 2, 3, 4, 5].map((n) => calls(`t${n}`, 'Bash', { command: 'ls' })))
    await it.runs.ended(run_id)
    expect(it.runtime.ended).toContain(run_id)
    expect(await runOf(it, run_id)).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('5 times'),
    })
    expect((await messagesOf(it, chat))[1].tool_summary).toBe('Bash x5')
  })

  it('that cannot be started, and makes sure that it was not', async () => {
    const it = await workplace()
    it.runtime.refuseStart = new Error('no such image')
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    await it.runs.ended(run_id)
    expect(it.runtime.ended).toEqual([run_id])
    expect(await runOf(it, run_id)).toMatchObject({
      status: 'FAILED',
      error_message: 'The agent could not be started: no such image',
    })
    expect((await messagesOf(it, chat))[1]).toMatchObject({
      role: 'system',
      content: 'The agent could not be started: no such image',
    })
    expect(await statusOf(it)).toBe('ERROR')
  })

  it('whose crew does not come up', async () => {
    const it = await workplace()
    it.app.runtime.start = async () => {
      throw problem('runtime_unavailable', { detail: 'No engine answers' })
    }
    const chat = await it.openChat()
    const frames = watch(it, chat)
    const { run_id } = await it.send(chat, 'Work')
    await it.runs.ended(run_id)
    expect(frames.at(-2)).toMatchObject({
      type: 'error',
      content: 'No engine answers',
      metadata: { reason: 'runtime_unavailable', code: 'provision_failed' },
    })
    expect(terminals(it, run_id)).toHaveLength(1)
  })
})

describe('a crew that comes up', () => {
  it('tells the chat how far it is', async () => {
    const it = await workplace()
    it.app.runtime.start = async () => {
      const about = { workspace_id: it.workspace, crew_id: it.crewId, actor_type: 'orchestrator' } as const
      const say = (name: 'provisioning.building' | 'provisioning.step', step: string) =>
        it.app.write(() => it.app.journal(fact(name, { step, status: 'running' }, about)))
      await say('provisioning.building', 'building the image')
      await say('provisioning.step', 'starting the sidecar')
      return undefined as never
    }
    const chat = await it.openChat()
    const frames = watch(it, chat)
    await it.send(chat, 'Work')
    await it.runtime.program()
    expect(frames.slice(2)).toMatchObject([
      { type: 'status', content: 'Preparing the crew' },
      {
        type: 'crew_provisioning',
        content: 'Crew backend is being prepared: building the image',
        metadata: { crew_id: it.crewId, crew_slug: 'backend', status: 'building' },
      },
      { type: 'status', content: 'Crew backend is being prepared: starting the sidecar' },
      { type: 'status', content: 'Starting the agent' },
    ])
  })
})

describe('a client', () => {
  it('is the program that this server names for it, where agents are its own processes', async () => {
    const it = await workplace({ config: { vendor: { 'process.claude_command': '/opt/claude' } } })
    const { program } = await working(it)
    expect(program.spec.argv.slice(0, 2)).toEqual(['/opt/claude', '--print'])
  })

  it('is held to the tool servers of its agent, not to that of the run', async () => {
    const it = await workplace()
    const mcp_config_json = JSON.stringify({ mcpServers: { files: { command: 'files' } } })
    const { status, text } = await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { mcp_config_json })
    expect(status, text).toBe(200)
    const { run_id, program } = await working(it)
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const [end] = entriesOf(it, run_id).filter(({ entry_type }) => entry_type === 'run.completed')
    expect(end!.payload!['metadata']).toMatchObject({ mcp_server_errors: [{ name: 'files', type: 'skipped' }] })
  })
})

describe('a fault of the daemon', () => {
  it('fails the run that it keeps from its end', async () => {
    const it = await workplace({ quiet: true })
    const { run_id, program } = await working(it)
    it.app.db.exec(
      `CREATE TEMP TRIGGER no_end BEFORE UPDATE ON runs WHEN NEW.outcome = 'COMPLETED'
         BEGIN SELECT raise(ABORT, 'made up'); END`,
    )
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(await runOf(it, run_id)).toMatchObject({ status: 'FAILED' })
    expect(await statusOf(it)).not.toBe('RUNNING')
  })
})

describe('cancelling', () => {
  it('ends the program and keeps what was said', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    const frames = watch(it, chat)
    it.runtime.print(program, init, says('half an ans'))
    const { status, body } = await it.call('OWNER', 'POST', `/chats/${chat}/cancel`)
    expect({ status, body }).toEqual({ status: 202, body: { chat_id: chat, run_id } })
    await it.runs.ended(run_id)
    expect(it.runtime.ended).toEqual([run_id])
    expect(terminals(it, run_id)).toMatchObject([
      { entry_type: 'run.cancelled', actor_type: 'user', actor_id: it.person('OWNER').userId },
    ])
    expect((await messagesOf(it, chat))[1]).toMatchObject({
      role: 'assistant',
      content: 'half an ans',
      metadata: { status: 'CANCELLED' },
    })
    expect(frames.at(-1)!.type).toBe('done')
    expect(frames.map(({ type }) => type)).not.toContain('error')
    expect(await statusOf(it)).toBe('IDLE')
  })

  it('is for who sent the message, and for managers', async () => {
    const it = await workplace()
    const { chat } = await working(it)
    expect(await it.call('MEMBER', 'POST', `/chats/${chat}/cancel`)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    })
    expect((await it.call(it.stranger(), 'POST', `/chats/${chat}/cancel`)).status).toBe(404)
    expect((await it.call('MANAGER', 'POST', `/chats/${chat}/cancel`)).status).toBe(202)
  })

  it('says so when there is nothing to cancel', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    expect((await it.call('OWNER', 'POST', `/chats/${chat}/cancel`)).body).toEqual({ chat_id: chat, run_id: null })
  })

  it('wins over a program that ends by itself meanwhile', async () => {
    const it = await workplace()
    it.runtime.obedient = false
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, says('all of it'), result())
    await it.call('OWNER', 'POST', `/chats/${chat}/cancel`)
    await it.runtime.asked(1)
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
  })

  it('reaches a run whose crew is still coming up', async () => {
    const it = await workplace()
    it.app.runtime.start = () => new Promise(() => undefined)
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    await it.call('OWNER', 'POST', `/chats/${chat}/cancel`)
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
    expect(it.runtime.programs.size).toBe(0)
    expect(await messagesOf(it, chat)).toHaveLength(1)
  })

  it('comes with the deletion of the agent', async () => {
    const it = await workplace()
    const { run_id } = await working(it)
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    await it.app.idle()
    await it.runs.ended(run_id)
    expect(it.runtime.ended).toEqual([run_id])
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
  })
})

it('has the disk looked at where the crew of a run is up', async () => {
  const it = await workplace()
  const looked: string[] = []
  it.app.disk = { ...it.app.disk, begun: async (crewId) => void looked.push(crewId) }
  const { run_id, program } = await working(it)
  expect(looked).toEqual([it.crewId])
  it.runtime.finish(program)
  await it.runs.ended(run_id)
})

describe('agents.stop', () => {
  it('ends everything that the agent does, and answers when it is over', async () => {
    const it = await workplace()
    const [first, second] = [await working(it), await working(it)]
    const other = await it.mate('bob')
    const chat = await it.openChat(other)
    await it.send(chat, 'Work')
    const { status, body } = await it.call('OWNER', 'POST', `/agents/${it.agentId}/stop`)
    expect({ status, body }).toEqual({ status: 200, body: { id: it.agentId, status: 'stopped' } })
    for (const { run_id } of [first, second])
      expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
    expect((await it.call('OWNER', 'GET', `/agents/${other}`)).body.status).toBe('RUNNING')
    expect((await it.call('OWNER', 'POST', `/agents/${it.agentId}/stop`)).body).toEqual({
      id: it.agentId,
      status: 'stopped',
    })
  })
})

describe('more runs than may go on at once', () => {
  it('wait in the order in which they came, and say so', async () => {
    const it = await workplace({ config: { maxConcurrentRuns: 1 } })
    const first = await working(it)
    const [two, three] = [await it.openChat(), await it.openChat()]
    const frames = [watch(it, two), watch(it, three)]
    const [second, third] = [await it.send(two, 'Second'), await it.send(three, 'Third')]
    expect(frames.map((list) => list.at(-1))).toMatchObject([
      { type: 'status', content: 'Waiting for a free place' },
      { type: 'status', content: 'Waiting for a free place; 1 before this one' },
    ])
    expect(it.runtime.programs.size).toBe(1)
    it.runtime.finish(first.program)
    expect((await it.runtime.program(1)).spec.runId).toBe(second.run_id)
    it.runtime.finish(await it.runtime.program(1))
    expect((await it.runtime.program(2)).spec.runId).toBe(third.run_id)
  })

  it('can be cancelled while they wait', async () => {
    const it = await workplace({ config: { maxConcurrentRuns: 1 } })
    const first = await working(it)
    const [two, three] = [await it.openChat(), await it.openChat()]
    const [second, third] = [await it.send(two, 'Second'), await it.send(three, 'Third')]
    await it.call('OWNER', 'POST', `/chats/${two}/cancel`)
    await it.runs.ended(second.run_id)
    expect(terminals(it, second.run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
    it.runtime.finish(first.program)
    expect((await it.runtime.program(1)).spec.runId).toBe(third.run_id)
  })
})

describe('a broken channel', () => {
  it('loses and doubles nothing', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    const text = Array.from({ length: 200 }, (_, n) => `${n} `)
    const bytes = Buffer.from(text.map((word) => `${JSON.stringify(says(word))}\n`).join(''))
    for (let at = 0; at < bytes.length; at += 1000) {
      it.runtime.printRaw(program, bytes.subarray(at, at + 1000))
      if (at % 4000 === 0) it.runtime.breakAll()
    }
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect((await messagesOf(it, chat))[1].content).toBe(text.join(''))
    expect(terminals(it, run_id)).toHaveLength(1)
  })
})

describe('after a restart', () => {
  /** Another daemon takes over, on the same database and the same programs. */
  async function restart(it: Place) {
    await it.runs.close()
    it.runs = attachRuns(it, it.runtime)
  }

  it('goes on with a run, its frames numbered as before', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    const before = watch(it, chat)
    it.runtime.print(program, init, says('one'), says('two'))
    await new Promise((resolve) => setImmediate(resolve))
    await restart(it)
    const last = before.at(-1)!.seq
    await it.runs.recover()
    const after = watch(it, chat, last)
    it.runtime.print(program, says('three'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const frames = [...before, ...after]
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, n) => n + 1))
    expect(frames.filter(({ type }) => type === 'text').map(({ content }) => content)).toEqual(['one', 'two', 'three'])
    expect((await messagesOf(it, chat))[1].content).toBe('onetwothree')
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.completed'])
    expect(entriesOf(it, run_id).filter(({ entry_type }) => entry_type === 'run.session_init')).toHaveLength(1)
  })

  it('leaves no gap in what is said to who comes only then', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, init, says('one'))
    await new Promise((resolve) => setImmediate(resolve))
    await restart(it)
    await it.runs.recover()
    const frames = watch(it, chat)
    it.runtime.print(program, result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(frames.map(({ seq, type }) => [seq, type])).toEqual([
      [3, 'run_begin'],
      [4, 'user_message'],
      [5, 'system'],
      [6, 'text'],
      [7, 'result'],
      [8, 'done'],
    ])
  })

  it('finishes a run that ended meanwhile', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    await it.runs.close()
    it.runtime.print(program, init, says('done while away'), result())
    it.runtime.finish(program)
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    await it.runs.ended(run_id)
    expect((await messagesOf(it, chat))[1].content).toBe('done while away')
    expect(await runOf(it, run_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await statusOf(it)).toBe('IDLE')
  })

  it('says of a run that did not survive why', async () => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, says('half'))
    await it.runs.close()
    it.runtime.finish(program, { kind: 'lost', reason: 'gone' })
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    await it.runs.ended(run_id)
    expect(terminals(it, run_id)).toMatchObject([
      { entry_type: 'run.failed', severity: 'notice', payload: { reason: 'server_restart' } },
    ])
    expect((await messagesOf(it, chat))[1]).toMatchObject({
      content: 'half',
      parts: [{ type: 'text' }, { type: 'error', metadata: { reason: 'server_restart', run_id } }],
    })
    expect(await statusOf(it)).toBe('IDLE')
  })

  it.each([
    [29_999, 'The server was restarted, and the agent did not survive it'],
    [30_000, 'gone'],
  ])('says of a run that is lost %i ms later: %s', async (ms, why) => {
    const it = await workplace()
    const { chat, run_id, program } = await working(it)
    await restart(it)
    await it.runs.recover()
    const frames = watch(it, chat)
    it.runtime.print(program, says('half'))
    await expect.poll(() => frames.at(-1)!.type).toBe('text')
    it.clock.advance(ms)
    it.runtime.finish(program, { kind: 'lost', reason: 'gone' })
    await it.runs.ended(run_id)
    expect(terminals(it, run_id)).toMatchObject([{ payload: { error_message: expect.stringContaining(why) } }])
  })

  it('tries again every two seconds to reach a crew that does not come up', async () => {
    const it = await workplace()
    const { run_id, program } = await working(it)
    await restart(it)
    let tries = 0
    it.app.runtime.start = async () => {
      if (++tries < 3) throw problem('runtime_failed', { detail: 'not yet' })
      return noContainer
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await it.runs.recover()
    await expect.poll(() => tries).toBe(1)
    for (const at of [1, 2]) {
      await vi.waitUntil(() => vi.getTimerCount() > 0)
      await vi.advanceTimersByTimeAsync(1999)
      expect(tries).toBe(at)
      await vi.advanceTimersByTimeAsync(1)
      await it.app.write(() => undefined)
      expect(tries).toBe(at + 1)
    }
    vi.useRealTimers()
    it.runtime.finish(program)
    await it.runs.ended(run_id)
  })

  it('starts again what the other daemon never handed over', async () => {
    const it = await workplace()
    const { run_id, program } = await launching(it, true)
    it.runtime.discardRun = async ({ runId }) => {
      it.runtime.discarded.push(runId)
      it.runtime.programs.delete(runId)
    }
    it.runtime.finish(program!, { kind: 'lost', reason: 'it was never started', never: true })
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    await expect.poll(() => it.runtime.discarded).toEqual([run_id])
    const again = await it.runtime.program()
    it.runtime.print(again, init, says('once'), result())
    it.runtime.finish(again)
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.completed'])
  })

  it('gives up what is never handed over, the fourth time', async () => {
    const it = await workplace()
    const { run_id, program } = await launching(it, true)
    it.runtime.finish(program!, { kind: 'lost', reason: 'it was never started', never: true })
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.failed'])
    // Three times to be started again, and once as the run is over.
    expect(it.runtime.discarded).toEqual([run_id, run_id, run_id, run_id])
  })

  it('starts nothing again that is known to have started, whatever is found of it', async () => {
    const it = await workplace()
    const { run_id, program } = await working(it)
    await expect.poll(() => it.app.db.prepare('SELECT phase FROM runs').pluck().get()).toBe('running')
    await it.runs.close()
    it.runtime.finish(program, { kind: 'lost', reason: 'its files are gone', never: true })
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.failed'])
    expect(it.runtime.discarded).toEqual([run_id])
  })

  it('starts what was waiting', async () => {
    const it = await workplace({ config: { maxConcurrentRuns: 1 } })
    const first = await working(it)
    const chat = await it.openChat()
    const seen = watch(it, chat)
    const waiting = await it.send(chat, 'Wait')
    await restart(it)
    await it.runs.recover()
    it.runtime.finish(first.program)
    const program = await it.runtime.program(1)
    expect(program.spec.runId).toBe(waiting.run_id)
    const again = watch(it, chat, seen.at(-1)!.seq)
    expect(again[0]).toMatchObject({ type: 'run_begin', seq: seen[0]!.seq + 1000 })
    it.runtime.print(program, says('x'))
    it.runtime.finish(program)
    await it.runs.ended(waiting.run_id)
    expect(terminals(it, waiting.run_id)).toHaveLength(1)
  })

  it.each([true, false])('takes up a run that was about to be started (had it been? %s)', async (had) => {
    const it = await workplace()
    const { chat, run_id } = await launching(it, had)
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('once'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect((await messagesOf(it, chat))[1].content).toBe('once')
    expect(terminals(it, run_id)).toHaveLength(1)
    expect(it.runtime.programs.size).toBe(1)
  })

  it('ends what was to be ended', async () => {
    const it = await workplace()
    it.runtime.obedient = false
    const { chat, run_id, program } = await working(it)
    await it.call('OWNER', 'POST', `/chats/${chat}/cancel`)
    await restart(it)
    it.runtime.obedient = true
    await it.runs.recover()
    await it.runs.ended(run_id)
    expect(program).toBeDefined()
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
  })
})

describe('while the disk refuses', () => {
  const quietPlace = () => workplace({ quiet: true })

  it('an end waits, outlives the daemon, and is written once', async () => {
    const it = await quietPlace()
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, init, says('done'), result())
    const first = refuseWrites(it.app)
    it.runtime.finish(program)
    while (it.app.storage.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await runOf(it, run_id)).toMatchObject({ status: 'RUNNING' })
    await it.runs.close()
    await first.mend()
    expect(terminals(it, run_id)).toEqual([])
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    await it.runs.ended(run_id)
    expect(terminals(it, run_id)).toHaveLength(1)
    expect((await messagesOf(it, chat))[1]).toMatchObject({ content: 'done', metadata: { status: 'COMPLETED' } })
  })

  it('an end is written as soon as it works again, as cancelled if that was accepted before', async () => {
    const it = await quietPlace()
    const one = await working(it)
    const other = await working(it)
    for (const { program } of [one, other]) it.runtime.print(program, init, says('done'), result())
    await it.app.idle()
    const { mend } = refuseWrites(it.app)
    for (const { program } of [one, other]) it.runtime.finish(program)
    while (it.app.storage.waiting < 2) await new Promise((resolve) => setImmediate(resolve))
    expect(await it.call('OWNER', 'POST', `/chats/${other.chat}/cancel`)).toMatchObject({
      status: 503,
      body: { code: 'storage_unavailable' },
    })
    it.app.db.pragma('query_only = OFF')
    expect((await it.call('OWNER', 'POST', `/chats/${other.chat}/cancel`)).body.run_id).toBe(other.run_id)
    await mend()
    await it.runs.ended(one.run_id)
    await it.runs.ended(other.run_id)
    expect(terminals(it, one.run_id).map(({ entry_type }) => entry_type)).toEqual(['run.completed'])
    expect(terminals(it, other.run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
    expect(await statusOf(it)).toBe('IDLE')
  })

  it('nothing is started; what was accepted starts when it works again', async () => {
    const it = await quietPlace()
    let refusal: ReturnType<typeof refuseWrites> | undefined
    it.runtime.ensure = async () => {
      refusal ??= refuseWrites(it.app)
    }
    const chat = await it.openChat()
    const frames = watch(it, chat)
    const { run_id } = await it.send(chat, 'Work')
    while (it.app.storage.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(it.runtime.programs.size).toBe(0)
    expect(frames.map(({ content }) => content)).toContainEqual(expect.stringContaining('Waiting for the disk'))
    await refusal!.mend()
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.completed'])
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, n) => n + 1))
  })

  it('a run that is cancelled before it was started never is', async () => {
    const it = await quietPlace()
    let refusal: ReturnType<typeof refuseWrites> | undefined
    it.runtime.ensure = async () => {
      refusal ??= refuseWrites(it.app)
    }
    const { run_id } = await it.send(await it.openChat(), 'Work')
    while (it.app.storage.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    it.app.runs.cancel(run_id)
    await refusal!.mend()
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
    expect(it.runtime.programs.size).toBe(0)
  })

  it('a program that has started goes on, and is heard', async () => {
    const it = await quietPlace()
    const start = it.runtime.startRun.bind(it.runtime)
    let refusal: ReturnType<typeof refuseWrites> | undefined
    it.runtime.startRun = async (spec) => {
      await start(spec)
      refusal = refuseWrites(it.app)
    }
    const { chat, run_id, program } = await working(it)
    const frames = watch(it, chat)
    it.runtime.print(program, init, says('still here'))
    while (!frames.some(({ type }) => type === 'text')) await new Promise((resolve) => setImmediate(resolve))
    expect(it.runtime.ended).toEqual([])
    await refusal!.mend()
    it.runtime.print(program, result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(entriesOf(it, run_id).map(({ entry_type }) => entry_type)).toContain('run.session_init')
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.completed'])
  })

  it('runs of an agent that is deleted are ended with it, and have their end once that can be written', async () => {
    const it = await quietPlace()
    const { run_id } = await working(it)
    let refusal: ReturnType<typeof refuseWrites> | undefined
    it.app.bus.on('entry', ({ entry }) => {
      if (entry.entry_type === 'audit.entity_deleted') refusal = refuseWrites(it.app)
    })
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    await expect.poll(() => it.runtime.ended).toEqual([run_id])
    expect(terminals(it, run_id)).toEqual([])
    await refusal!.mend()
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
  })

  it('runs of an agent whose deletion came last before a crash end with the next daemon', async () => {
    const it = await quietPlace()
    const { run_id } = await working(it)
    await it.runs.close()
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    await it.runs.ended(run_id)
    expect(terminals(it, run_id).map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
    expect(it.runtime.ended).toEqual([run_id])
  })
})
