import { describe, expect, it } from 'vitest'
import { addMessage } from '../../../daemon/features/chats/messages/service.ts'
import { agentAtWork } from '../../support/agent-at-work.ts'
import { asked, askPlace } from '../../support/asks.ts'
import { init, result, says } from '../../support/claude-lines.ts'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

async function place() {
  const it = await workplace()
  const chat = await it.openChat()
  const { email, userId } = it.person('MEMBER')
  return { it, chat, email, userId, ...(await cliFor(it, 'OWNER')) }
}

describe('people of a chat', () => {
  it('are invited, listed and removed, by address or id', async () => {
    const { chat, email, userId, run } = await place()
    expect((await run('chats', 'participants', chat)).stdout).toBe('')
    expect(await run('chats', 'invite', chat, email.toUpperCase())).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('answers only when it is mentioned'),
    })
    expect((await run('chats', 'participants', chat, '-o', 'tsv')).stdout).toContain(`${email}\tThe MEMBER\tmember\t`)
    expect((await run('chats', 'uninvite', chat, email)).code).toBe(2)
    expect((await run('chats', 'uninvite', chat, userId, '-y')).code).toBe(0)
    expect((await run('chats', 'participants', chat, '-q')).stdout).not.toContain(email)
    expect((await run('chats', 'uninvite', chat, 'nobody@example.com', '-y')).code).toBe(3)
  })

  it('are told when the agent was not mentioned', async () => {
    const { it, chat, email, run } = await place()
    await run('chats', 'invite', chat, email)
    const sent = await run('chats', 'send', chat, 'Hello')
    expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining('answers only when it is mentioned') })
    expect(sent.stdout).toMatch(/^msg_/)
    expect(JSON.parse((await run('chats', 'send', chat, 'Hello', '--json')).stdout).run_id).toBeNull()
    expect(await run('ask', 'ada', 'Hello', '--chat', chat)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('answers only when it is mentioned'),
    })
    expect(it.runtime.programs.size).toBe(0)
  })

  it('react to messages, and see it beside them', async () => {
    const { it, chat, run } = await place()
    const { message_id: message, run_id } = await it.send(chat, 'Hello')
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('Hi'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(await run('chats', 'react', chat, message, '👍')).toMatchObject({ code: 0, stderr: '✓ Reacted with 👍.\n' })
    expect((await run('chats', 'reactions', chat, message)).stdout).toBe('👍\t1\tyes\n')
    expect((await run('chats', 'messages', chat, '-o', 'tsv')).stdout).toContain('Hello\t👍\t')
    expect(await run('chats', 'react', chat, message, 'ok')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('EMOJI must be 1 to 8 emoji'),
    })
    const md = (await run('chats', 'export', chat)).stdout
    const time = '2026-01-01T00:00:00.000Z'
    const head = `# Hello\n\nChat ${chat} with the agent Agent ada (ada).\n\n`
    expect(md).toBe(`${head}## The OWNER, ${time}\n\n> Hello\n\n👍\n\n## Agent ada, ${time}\n\n> Hi\n`)
    const json = JSON.parse((await run('chats', 'export', chat, '--format', 'json')).stdout)
    expect(json).toMatchObject({
      format: 'muster-chat-1',
      chat_id: chat,
      participants: [],
      messages: [{ content: 'Hello' }, { content: 'Hi' }],
    })
    expect((await run('chats', 'unreact', chat, message, '👍')).code).toBe(0)
    expect((await run('chats', 'reactions', chat, message)).stdout).toBe('')
    expect((await run('chats', 'export', 'nowhere')).code).toBe(3)
  })
})

describe('muster chats export', () => {
  it('names people, the agent, tools and attachments, and lets nothing act on a terminal', async () => {
    const { it, chat, email, run } = await place()
    await run('chats', 'invite', chat, email)
    await it.app.write(() => {
      const said = { chatId: chat, agentId: it.agentId, runId: null }
      addMessage(it.app, { ...said, role: 'user', content: 'Look', authorUserId: it.person('MEMBER').userId })
      const parts = [{ type: 'tool_call', tool_name: 'Bash\u001b[2J\n## OWNER' }]
      addMessage(it.app, { ...said, role: 'assistant', content: 'Done\u001b]0;x\u0007 \u009b31mred', parts })
    })
    it.app.db
      .prepare(
        `INSERT INTO attachments (id, workspace_id, crew_id, agent_id, chat_id, filename, content_type, size_bytes,
           sha256, storage_key, agent_path, state, created_at)
         VALUES ('f1', ?, ?, ?, ?, 'plan.pdf', 'application/pdf', 3, 'x', 'crew/ada/attachments/chat/f1/plan.pdf',
           '/output/ada/attachments/chat/f1/plan.pdf', 'ready', '2026-01-01T00:00:00.000Z')`,
      )
      .run(it.workspace, it.crewId, it.agentId, chat)
    const { stdout } = await run('chats', 'export', chat)
    expect(stdout).not.toMatch(/[\u001b\u009b\u0007]/)
    expect(stdout).toContain('People: The OWNER, The MEMBER.\n')
    expect(stdout).toMatch(/## The MEMBER, 2026-\S+\n\n> Look\n\n## Agent ada, 2026-\S+\n\n> Done/)
    expect(stdout).toMatch(/Tools:\n\n- Bash.*OWNER/)
    expect((await run('chats', 'export', chat, '--format', 'json')).stdout).not.toMatch(/[\u001b\u009b\u0007]/)
    expect(stdout).toContain('Attachments:\n\n- plan.pdf, 3 bytes, attachments/')
    const whole = JSON.parse((await run('chats', 'export', chat, '--json')).stdout)
    expect(whole).toMatchObject({
      title: 'Look',
      agent: { id: it.agentId, slug: 'ada', name: 'Agent ada' },
      people: [{ email }],
      attachments: [{ filename: 'plan.pdf', size_bytes: 3 }],
      messages: [{ content: 'Look' }, { content: 'Done\u001b]0;x\u0007 \u009b31mred' }],
    })
  })

  it('leaves out what is of a deleted agent, and names its people', async () => {
    const { it, chat, run } = await place()
    await it.app.write(() => {
      const authorUserId = it.person('OWNER').userId
      addMessage(it.app, { chatId: chat, agentId: it.agentId, runId: null, role: 'user', content: 'Hi', authorUserId })
    })
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)
    expect((await run('chats', 'export', chat)).stdout).toMatch(/^# Chat c\w+\n\nChat c\w+\.\n\n## The OWNER, /)
  })
})

describe('muster chats share', () => {
  it('names the command that reads the chat, and changes nothing', async () => {
    const { it, chat, run } = await place()
    const count = () => it.entries().length
    const before = count()
    const { code, stdout, stderr } = await run('chats', 'share', chat)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Nothing was made public: members of the workspace can read it, signed in, and nobody else.\n',
    })
    expect(stdout).toMatch(/^muster chats messages c\w+ --all --workspace [\w-]+\n$/)
    expect(JSON.parse((await run('chats', 'share', chat, '--json')).stdout)).toEqual({
      chat_id: chat,
      workspace: expect.any(String),
      command: stdout.trim(),
    })
    expect(count()).toBe(before)
    const reader = await cliFor(it, 'VIEWER')
    expect((await reader.run(...stdout.trim().split(' ').slice(1))).code).toBe(0)
    expect((await run('chats', 'share', 'nowhere')).code).toBe(3)
  })
})

describe('muster steer', () => {
  it('says whether a run goes on', async () => {
    const { it, chat, run, pipe } = await place()
    const idle = await run('steer', chat, 'Use SQLite')
    expect(idle).toMatchObject({ code: 0, stderr: expect.stringContaining('No run goes on. The message is kept') })
    const begun = await run('steer', chat, 'Go', '--begin')
    expect(begun).toMatchObject({ code: 0, stderr: expect.stringMatching(/No run went on\. Run c\w+ has started/) })
    expect(await pipe('And tests\n', 'steer', chat, '-')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Waiting: the agent reads it after its current step, or with its next turn.'),
    })
    it.app.runs = { ...it.app.runs, steers: () => false }
    expect(await run('steer', chat, 'And docs')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Queued: the agent is at work'),
    })
    expect(await run('steer', chat, 'And docs', '--begin')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('has a turn for it afterwards'),
    })
    expect(await run('steer', chat, ' ')).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') })
  })
})

describe('muster steer --wait', () => {
  const waiting = async () => {
    const it = await agentAtWork()
    const chat = it.app.db.prepare('SELECT chat_id FROM runs WHERE id = ?').pluck().get(it.runId) as string
    return { it, chat, ...(await cliFor(it, 'OWNER')) }
  }

  it('ends once the agent has it, and says so', async () => {
    const { it, chat, run } = await waiting()
    const steered = run('steer', chat, 'Use SQLite', '--wait', '-o', 'json')
    await expect.poll(async () => (await it.ask('/notes', {}, { id: 'x' })).body).toMatchObject({ receipt: 'x' })
    await it.ask('/notes/taken', { receipt: 'x' })
    const { code, stdout } = await steered
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { delivery: 'delivered', in_flight: true }])
  })

  it('ends with the turn that the agent was not told in', async () => {
    const { it, chat, run } = await waiting()
    const steered = run('steer', chat, 'Use SQLite', '--wait')
    const said = async () => (await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages.length
    await expect.poll(said).toBe(2)
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    expect(await steered).toMatchObject({ code: 0, stderr: expect.stringContaining('the turn ended first') })
  })
})

describe('a message to an agent that waits for an answer', () => {
  it('is that answer', async () => {
    const it = await askPlace()
    const { chat, run_id, item, next } = await asked(it, { question: 'Which colour?' })
    const { run } = await cliFor(it, 'OWNER')
    expect(await run('chats', 'send', chat, 'Blue')).toMatchObject({
      code: 0,
      stdout: `${run_id}\n`,
      stderr: expect.stringContaining(`Answered: run ${run_id} goes on.`),
    })
    expect((await it.call('OWNER', 'GET', `/inbox/${item}`)).body.state).toBe('resolved')
    const program = await next()
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const { messages } = (await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body
    expect(messages).toMatchObject([
      { content: 'Work' },
      { content: 'I look.\n\nWhich colour?' },
      { role: 'user', content: 'Blue' },
      { content: 'Done' },
    ])
  })

  it('is refused to whoever does not see the question', async () => {
    const it = await askPlace()
    const { chat } = await asked(it)
    const { run } = await cliFor(it, 'VIEWER')
    expect((await run('chats', 'send', chat, 'Blue')).code).not.toBe(0)
  })
})
