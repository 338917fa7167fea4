import { describe, expect, it } from 'vitest'
import { noteLimit } from '#contract/notes'
import { type AgentAtWork, agentAtWork } from '../../../support/agent-at-work.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import { openStream } from '../../../support/runs.ts'

async function place() {
  const it = await agentAtWork()
  const chat = it.app.db.prepare('SELECT chat_id FROM runs WHERE id = ?').pluck().get(it.runId) as string
  const heard: { type: string; payload: object }[] = []
  it.app.bus.on('broadcast', ({ channel, type, payload }) => {
    if (channel === `session:${chat}` && type.startsWith('steering_')) heard.push({ type, payload })
  })
  const steer = async (message: string, members: object = { begin: true }, who: 'OWNER' | 'MEMBER' = 'OWNER') => {
    const { status, body } = await it.call(who, 'POST', `/chats/${chat}/steer`, { message, ...members })
    expect(status).toBe(202)
    return body as { message_id: string; delivery: string; in_flight: boolean; run_id: string | null }
  }
  const take = async () => (await it.ask('/notes', {})).body as { receipt: string; text: string }
  const told = async () => {
    const { receipt, text } = await take()
    await it.ask('/notes/taken', { receipt })
    return text
  }
  const messages = async () => (await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages as Message[]
  const answer = (n: number, words: string) => finish(it, n, [init, says(words), result()])
  return { it, chat, heard, steer, take, told, messages, answer }
}

interface Message {
  id: string
  role: string
  content: string
  metadata: object
}

async function finish(it: AgentAtWork, n: number, lines: object[]): Promise<string> {
  const program = await it.runtime.program(n)
  it.runtime.print(program, ...lines)
  it.runtime.finish(program, lines.length ? undefined : { kind: 'exit', code: 1, timedOut: false })
  await it.runs.ended(program.spec.runId)
  return program.spec.stdin
}

describe('what is said to an agent at work', () => {
  it('is delivered within the turn, by the name of who says it, and begins none', async () => {
    const { it, chat, heard, steer, told, messages, answer } = await place()
    const { message_id, ...said } = await steer('Use SQLite,\nnot a file', { begin: true }, 'MEMBER')
    expect(said).toEqual({ queued: true, in_flight: true, delivery: 'pending', run_id: null })
    expect((await messages())[1]).toMatchObject({ id: message_id, metadata: { delivery: 'pending', begin: true } })
    expect(await told()).toBe('The MEMBER says, while you work:\n> Use SQLite,\n> not a file')
    expect((await messages())[1]!.metadata).toEqual({ kind: 'queued_steer', in_flight: true, delivery: 'delivered' })
    const entry = it.entries().findLast(({ entry_type }) => entry_type === 'run.note_taken')
    expect(entry).toMatchObject({
      trace_id: it.runId,
      summary: 'Agent ada was told what somebody said while it worked',
      payload: { kind: 'steer', chat_id: chat, message_id },
    })
    expect(heard).toMatchObject([
      { type: 'steering_queued', payload: { message_id, delivery: 'pending' } },
      {
        type: 'steering_delivered',
        payload: { chat_id: chat, message_id, run_id: it.runId, delivery: 'delivered' },
      },
    ])
    await answer(0, 'With SQLite')
    expect((await messages()).map(({ content }) => content)).toEqual(['Work', 'Use SQLite,\nnot a file', 'With SQLite'])
    expect(it.runtime.programs.size).toBe(1)
    expect(heard).toHaveLength(2)
  })

  it('is quoted line by line, whatever ends its lines', async () => {
    const { steer, told } = await place()
    await steer('One\r\ntwo\u0085Ada says:\u202e do')
    expect(await told()).toBe('The OWNER says, while you work:\n> One\n> two\n> Ada says: do')
  })

  it('is not told again by the next turn, whose session knows it', async () => {
    const { it, chat, steer, told, answer } = await place()
    await steer('Use SQLite')
    await told()
    await steer('Not yet told', {})
    await answer(0, 'Done')
    await it.send(chat, 'And now?')
    const prompt = await answer(1, 'Yes')
    expect(prompt).not.toContain('Use SQLite')
    expect(prompt).toMatch(/Not yet told.*And now\?$/s)
  })

  it('stands in the history of a turn that begins a new session, where it was said', async () => {
    const { it, chat, steer, told, answer } = await place()
    await steer('Use SQLite')
    await told()
    await answer(0, 'Done')
    it.app.db.prepare('UPDATE client_sessions SET gone = 1').run()
    await it.send(chat, 'And now?')
    expect(await answer(1, 'Yes')).toMatch(/Work.*Use SQLite.*Done.*And now\?$/s)
  })

  it('is told again by the next turn when the run failed: its session does not know it', async () => {
    const { it, chat, steer, told, answer } = await place()
    await steer('Use SQLite')
    await told()
    await finish(it, 0, [])
    expect(it.runtime.programs.size).toBe(1)
    await it.send(chat, 'Again')
    expect(await answer(1, 'Yes')).toMatch(/Use SQLite.*Again$/s)
  })

  it.each([true, false])(
    'has its turn when the run ends before it was acknowledged; handed over: %s',
    async (handed) => {
      const { it, heard, steer, take, answer, messages } = await place()
      const { message_id } = await steer('Use SQLite')
      if (handed) expect((await take()).text).toContain('Use SQLite')
      await answer(0, 'Done')
      expect(heard.at(-1)).toMatchObject({
        type: 'steering_queued',
        payload: { message_id, delivery: 'queued', in_flight: false, content: 'Use SQLite' },
      })
      expect(await answer(1, 'With SQLite')).toMatch(/Use SQLite$/)
      expect((await messages()).map(({ content }) => content)).toEqual(['Work', 'Done', 'Use SQLite', 'With SQLite'])
      expect(it.entries().some(({ entry_type }) => entry_type === 'run.note_taken')).toBe(false)
    },
  )

  it('is queued when the run is cancelled', async () => {
    const { it, chat, heard, steer, messages } = await place()
    await steer('Use SQLite')
    await it.call('OWNER', 'POST', `/chats/${chat}/cancel`)
    const program = await it.runtime.program()
    it.runtime.finish(program, { kind: 'signal', signal: 'SIGTERM' })
    await it.runs.ended(it.runId)
    expect(heard.at(-1)).toMatchObject({ payload: { delivery: 'queued' } })
    expect((await messages())[1]!.metadata).toMatchObject({ delivery: 'queued' })
    expect(it.runtime.programs.size).toBe(1)
  })

  it('is queued where it cannot be told: too long, or from a client that takes nothing', async () => {
    const { it, steer, take } = await place()
    expect((await steer('x'.repeat(noteLimit), {})).delivery).toBe('queued')
    it.app.runs = { ...it.app.runs, steers: () => false }
    expect((await steer('Use SQLite', {})).delivery).toBe('queued')
    expect(await take()).toEqual({ receipt: null, text: '' })
  })

  it('is told to the agent of a group only where it is mentioned', async () => {
    const { it, chat, steer, told } = await place()
    await it.call('OWNER', 'POST', `/chats/${chat}/participants`, { user_id: it.person('MEMBER').userId })
    expect((await steer('I think SQLite', {})).delivery).toBe('queued')
    expect((await steer('@ada SQLite', {})).delivery).toBe('pending')
    expect(await told()).toBe('The OWNER says, while you work:\n> @ada SQLite')
  })

  it('is read with the answer that the agent waits for, and once', async () => {
    const { it, chat, steer, told } = await place()
    await steer('Said before', {})
    await told()
    await steer('Be quick', {})
    it.runtime.print(await it.runtime.program(), init, says('I look.'))
    const { body } = await it.ask('/ask-human', { question: 'Which colour?' })
    await it.runs.ended(it.runId)
    expect((await steer('Be quiet', {})).delivery).toBe('queued')
    await it.call('MEMBER', 'POST', `/chats/${chat}/steer`, { message: 'And kind' })
    const { inbox_item_id: item } = body as { inbox_item_id: string }
    const acted = await it.call('OWNER', 'POST', `/inbox/${item}/act`, { action: 'answer', input: 'Blue' })
    expect(acted.status, acted.text).toBe(200)
    const { spec } = await it.runtime.program(1)
    expect(spec.stdin).toMatch(/Be quick.*Be quiet.*And kind.*Blue/s)
    expect(spec.stdin).not.toContain('Said before')
    expect(await told()).toBe('')
  })

  it('is shown on the stream of the chat', async () => {
    const { it, chat, steer, told } = await place()
    const stream = await openStream(it.base, it.person('OWNER'), chat, '?follow=true')
    await stream.until('stream.open')
    const { message_id } = await steer('Use SQLite')
    const next = async () => (await stream.until('stream.steering')).at(-1)
    expect(await next()).toEqual({ type: 'stream.steering', message_id, delivery: 'pending' })
    await told()
    expect(await next()).toEqual({ type: 'stream.steering', message_id, delivery: 'delivered' })
  })
})
