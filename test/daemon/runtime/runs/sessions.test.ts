import { describe, expect, it } from 'vitest'
import { addMessage } from '../../../../daemon/features/chats/messages/service.ts'
import { sweepSessions } from '../../../../daemon/features/chats/sessions/service.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { attachRuns, type Workplace, workplace } from '../../../support/runs.ts'

type Place = Workplace<FakeRuntime>
type Program = Awaited<ReturnType<FakeRuntime['program']>>

const flag = ({ spec }: Program, name: string) =>
  spec.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
const failed = { kind: 'exit', code: 1, timedOut: false } as const
const isGone = 'No conversation found with session ID: x'
const folderOf = ({ spec }: Program) => spec.env['CLAUDE_CONFIG_DIR']!
const losses = (it: Place) =>
  it
    .entries()
    .filter(({ entry_type }) => entry_type === 'conversation.session_lost')
    .map(({ payload, summary }) => ({ ...payload, summary }))

/** What a person says next in a chat, with the program that is started for it. */
async function asks(it: Place, chat: string, content: string, runs = it.runs) {
  const count = it.runtime.programs.size
  const { run_id } = await it.send(chat, content)
  const program = await it.runtime.program(count)
  return {
    program,
    run_id,
    async answers(text: string) {
      it.runtime.print(program, init, says(text), result())
      it.runtime.finish(program)
      await runs.ended(run_id)
    },
    async cancelled(text: string) {
      it.runtime.print(program, init, says(text))
      await it.call('OWNER', 'POST', `/chats/${chat}/cancel`)
      await runs.ended(run_id)
    },
  }
}

/** A chat in which one turn was completed. */
async function talked() {
  const it = await workplace()
  const chat = await it.openChat()
  const first = await asks(it, chat, 'My word is plum')
  await first.answers('I know it.')
  return { it, chat, first: first.program }
}

describe("a chat's next turn", () => {
  it('goes on with the session of the client, and says nothing twice', async () => {
    const { it, chat, first } = await talked()
    const { program, answers } = await asks(it, chat, 'Which word?')
    expect(flag(program, 'resume')).toBe(flag(first, 'session-id'))
    expect(flag(program, 'session-id')).toBeUndefined()
    expect(folderOf(program)).toBe(folderOf(first))
    expect(program.spec.stdin).toBe('Which word?')
    await answers('Plum.')
    const third = await asks(it, chat, 'Sure?')
    expect(flag(third.program, 'resume')).toBe(flag(first, 'session-id'))
    expect(third.program.spec.stdin).toBe('Sure?')
    expect(losses(it)).toEqual([])
  })

  it('goes on with it after a restart of the daemon', async () => {
    const { it, chat, first } = await talked()
    await it.runs.close()
    const runs = attachRuns(it, it.runtime)
    const { program } = await asks(it, chat, 'Which word?', runs)
    expect(flag(program, 'resume')).toBe(flag(first, 'session-id'))
  })

  it('keeps the folder of its session, and removes the one of each run', async () => {
    const { it, chat, first } = await talked()
    const { program, answers } = await asks(it, chat, 'Which word?')
    await answers('Plum.')
    const kept = folderOf(first).split('/').at(-2)!
    expect(kept).toMatch(/^session-/)
    expect(it.runtime.discarded).toEqual([first.spec.runId, program.spec.runId])
  })

  it("never goes on with another chat's session", async () => {
    const { it, first } = await talked()
    const { program } = await asks(it, await it.openChat(), 'Which word?')
    expect(flag(program, 'resume')).toBeUndefined()
    expect(flag(program, 'session-id')).not.toBe(flag(first, 'session-id'))
    expect(folderOf(program)).not.toBe(folderOf(first))
    expect(program.spec.stdin).toBe('Which word?')
  })

  it('is told what a cancelled turn said, which the session may not know', async () => {
    const { it, chat, first } = await talked()
    const stopped = await asks(it, chat, 'Count to ten')
    await stopped.cancelled('One, two')
    const { program } = await asks(it, chat, 'Which word?')
    expect(flag(program, 'resume')).toBe(flag(first, 'session-id'))
    expect(program.spec.stdin).toContain('Count to ten')
    expect(program.spec.stdin).toContain('One, two')
    expect(program.spec.stdin).not.toContain('plum')
    expect(program.spec.stdin).toMatch(/Which word\?$/)
  })

  it('is told what others said in the chat meanwhile', async () => {
    const { it, chat } = await talked()
    const others = { chatId: chat, agentId: null, runId: null }
    await it.app.write(() => {
      addMessage(it.app, { ...others, role: 'user', content: 'Mine is fig' })
      addMessage(it.app, { ...others, role: 'system', content: 'A note for people' })
    })
    const { program } = await asks(it, chat, 'Which words?')
    expect(program.spec.stdin).toContain('Mine is fig')
    expect(program.spec.stdin).not.toMatch(/plum|I know it|A note/)
  })

  it('counts only what it used itself, where the client counts for its whole session', async () => {
    const it = await workplace()
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { cli_adapter: 'CODEX_CLI' })
    const chat = await it.openChat()
    const session = '0199a213-81c0-7800-8aa1-bbab2a035a53'
    const turn = async (input_tokens: number, output_tokens: number) => {
      const { program, run_id } = await asks(it, chat, 'Go on')
      it.runtime.print(
        program,
        { type: 'thread.started', thread_id: session },
        { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Yes.' } },
        { type: 'turn.completed', usage: { input_tokens, cached_input_tokens: 0, output_tokens } },
      )
      it.runtime.finish(program)
      await it.runs.ended(run_id)
      const { metadata } = (await it.call('OWNER', 'GET', `/runs/${run_id}`)).body
      const ended = it.entries().find((one) => one.trace_id === run_id && one.entry_type === 'run.completed')!
      expect(metadata).toBeDefined()
      return { argv: program.spec.argv, used: (ended.payload!['metadata'] as { usage: object }).usage }
    }
    expect(await turn(100, 10)).toMatchObject({ used: { input_tokens: 100, output_tokens: 10 } })
    const second = await turn(250, 25)
    expect(second.argv).toContain(session)
    expect(second.used).toMatchObject({ input_tokens: 150, output_tokens: 15 })
    expect((await turn(260, 26)).used).toMatchObject({ input_tokens: 10, output_tokens: 1 })
  })

  it('begins a session of its own when no turn was completed', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const first = await asks(it, chat, 'My word is plum')
    await first.cancelled('Wait')
    const { program, answers } = await asks(it, chat, 'Which word?')
    expect(flag(program, 'resume')).toBeUndefined()
    expect(folderOf(program)).not.toBe(folderOf(first.program))
    expect(program.spec.stdin).toContain('My word is plum')
    expect(losses(it)).toEqual([])
    await answers('Plum.')
    await asks(it, chat, 'Sure?')
    await expect.poll(() => it.runtime.discarded).toContain(folderOf(first.program).split('/').at(-2))
  })
})

describe('a session that cannot be gone on with', () => {
  it('is replaced: history goes along, and the journal says so', async () => {
    const { it, chat, first } = await talked()
    const count = it.runtime.programs.size
    const { program, run_id } = await asks(it, chat, 'Which word?')
    it.runtime.finish(program, failed, isGone)
    const again = await it.runtime.program(count + 1)
    expect(again.spec.runId).toBe(`${run_id}-1`)
    expect(flag(again, 'resume')).toBeUndefined()
    expect(folderOf(again)).not.toBe(folderOf(first))
    expect(again.spec.stdin).toMatch(/My word is plum[\s\S]*I know it\.[\s\S]*Which word\?$/)
    expect(losses(it)).toEqual([
      {
        session_id: chat,
        reason: 'refused',
        summary: "Agent ada's client begins a new session for its chat: the client could not go on with the old one",
      },
    ])
    it.runtime.print(again, init, says('Plum.'), result())
    it.runtime.finish(again)
    await it.runs.ended(run_id)
    expect((await it.call('OWNER', 'GET', `/runs/${run_id}`)).body.status).toBe('COMPLETED')
    const { program: next } = await asks(it, chat, 'Sure?')
    expect(flag(next, 'resume')).toBe(flag(again, 'session-id'))
    await expect.poll(() => it.runtime.discarded).toContain(folderOf(first).split('/').at(-2))
  })

  it('is given up once: what fails again fails', async () => {
    const { it, chat } = await talked()
    const count = it.runtime.programs.size
    const { program, run_id } = await asks(it, chat, 'Which word?')
    it.runtime.finish(program, failed, isGone)
    it.runtime.finish(await it.runtime.program(count + 1), failed, isGone)
    await it.runs.ended(run_id)
    expect((await it.call('OWNER', 'GET', `/runs/${run_id}`)).body.status).toBe('FAILED')
    expect(it.runtime.programs.size).toBe(count + 2)
  })

  it('is kept when the model service refuses', async () => {
    const { it, chat, first } = await talked()
    const { program, run_id } = await asks(it, chat, 'Which word?')
    const refused = { is_error: true, result: 'API Error: 529 {"error":{"type":"overloaded_error"}}' }
    it.runtime.print(program, init, result(refused))
    it.runtime.finish(program, failed)
    await it.runs.ended(run_id)
    const { program: next } = await asks(it, chat, 'Once more')
    expect(flag(next, 'resume')).toBe(flag(first, 'session-id'))
  })

  it.each([
    ['model_changed', 'the agent has another model now', { llm_model: 'claude-haiku-4-5' }],
    ['client_changed', 'the agent has another client now', { cli_adapter: 'CODEX_CLI' }],
  ])('is replaced after a change of the agent: %s', async (reason, why, change) => {
    const { it, chat, first } = await talked()
    expect((await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, change)).status).toBe(200)
    const { program } = await asks(it, chat, 'Which word?')
    expect(program.spec.argv.join(' ')).not.toContain('resume')
    expect(program.spec.stdin).toContain('My word is plum')
    const summary = `Agent ada's client begins a new session for its chat: ${why}`
    expect(losses(it)).toEqual([{ session_id: chat, reason, summary }])
    expect(Object.values(program.spec.env).join()).not.toContain(folderOf(first))
  })

  it.each([
    ['CLAUDE_CODE', []],
    ['CODEX_CLI', ['instructions_changed']],
  ])('is told a new persona: %s', async (cli_adapter, reasons) => {
    const it = await workplace()
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { cli_adapter })
    const chat = await it.openChat()
    const answer = async (content: string) => {
      const { program, run_id } = await asks(it, chat, content)
      const codex = [
        { type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' },
        { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'I know it.' } },
        { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
      ]
      it.runtime.print(program, ...(cli_adapter === 'CODEX_CLI' ? codex : [init, says('I know it.'), result()]))
      it.runtime.finish(program)
      await it.runs.ended(run_id)
      return program.spec
    }
    await answer('My word is plum')
    expect((await answer('Sure?')).stdin).not.toContain('plum')
    const set = await it.call('OWNER', 'PUT', `/agents/${it.agentId}/persona`, { content: 'I am blunt.' })
    expect(set.status, set.text).toBe(200)
    const { stdin, files, argv } = await answer('Which word?')
    expect(JSON.stringify(files)).toContain('> I am blunt.')
    expect(/\bresume\b/.test(argv.join(' '))).toBe(reasons.length === 0)
    expect(stdin?.includes('My word is plum')).toBe(reasons.length > 0)
    expect(losses(it).map((loss) => 'reason' in loss && loss.reason)).toEqual(reasons)
    expect((await answer('And now?')).stdin).not.toContain('plum')
  })

  it('is replaced when what it knows no longer stands in the chat', async () => {
    const { it, chat } = await talked()
    it.app.db.prepare("DELETE FROM chat_messages WHERE chat_id = ? AND role = 'user'").run(chat)
    const { program } = await asks(it, chat, 'Which word?')
    expect(flag(program, 'resume')).toBeUndefined()
    expect(program.spec.stdin).not.toContain('plum')
    expect(losses(it)).toMatchObject([{ reason: 'history_changed' }])
  })
})

describe('the folder of a session', () => {
  it('goes with its chat', async () => {
    const { it, chat, first } = await talked()
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)).status).toBe(204)
    await expect.poll(() => it.runtime.discarded.at(-1)).toBe(folderOf(first).split('/').at(-2))
    await expect.poll(() => it.app.db.prepare('SELECT * FROM client_sessions').all()).toEqual([])
  })

  it('is none for a chat that has the id of a deleted one', async () => {
    const it = await workplace()
    const open = () => it.call('OWNER', 'POST', `/agents/${it.agentId}/chats`, { session_id: 'mine' })
    await open()
    const first = await asks(it, 'mine', 'My word is plum')
    await first.answers('I know it.')
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/mine`)).status).toBe(204)
    await open()
    const { program } = await asks(it, 'mine', 'Which word?')
    expect(flag(program, 'resume')).toBeUndefined()
    expect(folderOf(program)).not.toBe(folderOf(first.program))
  })

  it('is left for later while it cannot be removed', async () => {
    const { it, chat, first } = await talked()
    it.runtime.discardRun = () => Promise.reject(new Error('no container'))
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)
    Reflect.deleteProperty(it.runtime, 'discardRun')
    await asks(it, await it.openChat(), 'Hello')
    await expect.poll(() => it.runtime.discarded).toContain(folderOf(first).split('/').at(-2))
  })

  it.each([
    ['29 days', 29, 1],
    ['31 days', 31, 0],
  ])('stays for 30 days after the last turn: %s', async (_, days, kept) => {
    const { it } = await talked()
    it.clock.advance(days * 86_400_000)
    await it.app.write(() => sweepSessions(it.app))
    expect(it.app.db.prepare('SELECT count(*) AS kept FROM client_sessions WHERE gone = 0').get()).toEqual({ kept })
  })

  it.each([
    ['agent', (it: Place) => it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)],
    ['crew', (it: Place) => it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)],
  ])('goes with all others of its %s', async (_, remove) => {
    const { it } = await talked()
    expect((await remove(it)).status).toBeLessThan(300)
    expect(it.app.db.prepare('SELECT * FROM client_sessions').all()).toEqual([])
  })
})
