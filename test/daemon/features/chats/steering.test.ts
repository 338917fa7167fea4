import { describe, expect, it } from 'vitest'
import { act, asked, askPlace } from '../../../support/asks.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import { workplace } from '../../../support/runs.ts'

async function place() {
  const it = await workplace()
  const chat = await it.openChat()
  const steer = (message: string, members: object = { begin: true }, who: 'OWNER' | 'MEMBER' = 'OWNER') =>
    it.call(who, 'POST', `/chats/${chat}/steer`, { message, ...members })
  const answer = async (n: number, words: string) => {
    const program = await it.runtime.program(n)
    it.runtime.print(program, init, says(words), result())
    it.runtime.finish(program)
    await it.runs.ended(program.spec.runId)
    return program.spec.stdin
  }
  const contents = async () =>
    (await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages.map((m: { content: string }) => m.content)
  return { it, chat, steer, answer, contents }
}

describe('what is queued during a run', () => {
  it('is in the next prompt, whoever begins that turn', async () => {
    const { it, chat, steer, answer, contents } = await place()
    await it.send(chat, 'Go')
    await it.runtime.program()
    expect((await steer('Use SQLite', {})).body).toMatchObject({ in_flight: true, run_id: null })
    await answer(0, 'Done')
    expect(it.runtime.programs.size).toBe(1)
    await it.send(chat, 'And now?')
    expect(await answer(1, 'With SQLite')).toMatch(/Use SQLite.*And now\?$/s)
    expect(await contents()).toEqual(['Go', 'Use SQLite', 'Done', 'And now?', 'With SQLite'])
  })

  it('has a turn of its own after that run when it asks for one, and stands behind its answer', async () => {
    const { it, chat, steer, answer, contents } = await place()
    await it.send(chat, 'Go')
    await it.runtime.program()
    expect((await steer('Use SQLite')).body).toMatchObject({ queued: true, in_flight: true, run_id: null })
    await steer('Only a remark', {})
    await steer('And tests', { begin: true }, 'MEMBER')
    await answer(0, 'Done')
    expect(await answer(1, 'Both')).toMatch(/Use SQLite.*And tests$/s)
    expect(await contents()).toEqual(['Go', 'Only a remark', 'Done', 'Use SQLite', 'And tests', 'Both'])
    const started = it.entries().filter(({ entry_type }) => entry_type === 'run.started')
    expect(started.map(({ actor_id }) => actor_id)).toEqual([it.person('OWNER').userId, it.person('MEMBER').userId])
    expect(it.runtime.programs.size).toBe(2)
  })

  it('is what the next run is begun for once more, and no run is begun for it twice', async () => {
    const { it, chat, steer, answer } = await place()
    await it.send(chat, 'Go')
    await it.runtime.program()
    await steer('First')
    await answer(0, 'Done')
    await it.runtime.program(1)
    await steer('Second')
    await answer(1, 'Done with the first')
    expect(await answer(2, 'Done with the second')).toMatch(/Second$/)
    expect(it.runtime.programs.size).toBe(3)
  })

  it('is kept for the next turn when the run is cancelled', async () => {
    const { it, chat, steer, answer } = await place()
    const { run_id } = await it.send(chat, 'Go')
    const program = await it.runtime.program()
    await steer('Use SQLite')
    await it.call('OWNER', 'POST', `/chats/${chat}/cancel`)
    it.runtime.finish(program, { kind: 'signal', signal: 'SIGTERM' })
    await it.runs.ended(run_id)
    expect(it.runtime.programs.size).toBe(1)
    await it.send(chat, 'Again')
    expect(await answer(1, 'Yes')).toMatch(/Use SQLite.*Again$/s)
  })

  it('has its turn when the run failed', async () => {
    const { it, chat, steer, answer } = await place()
    const { run_id } = await it.send(chat, 'Go')
    const program = await it.runtime.program()
    await steer('Try again')
    it.runtime.finish(program, { kind: 'exit', code: 1, timedOut: false })
    await it.runs.ended(run_id)
    expect(await answer(1, 'Yes')).toMatch(/Try again$/)
  })

  it('is kept when the agent may not work any more, and the run ends as it did', async () => {
    const { it, chat, steer, answer, contents } = await place()
    const { run_id } = await it.send(chat, 'Go')
    await it.runtime.program()
    await steer('Use SQLite')
    it.app.db.prepare("UPDATE agents SET expired_at = '2026-01-01T00:00:00.000Z'").run()
    await answer(0, 'Done')
    expect((await it.call('OWNER', 'GET', `/runs/${run_id}`)).body.status).toBe('COMPLETED')
    expect(await contents()).toEqual(['Go', 'Use SQLite', 'Done'])
    expect(it.runtime.programs.size).toBe(1)
  })

  it('is read by the turn that goes on with an answer', async () => {
    const it = await askPlace()
    const { chat, run_id, item, next } = await asked(it)
    const steered = await it.call('OWNER', 'POST', `/chats/${chat}/steer`, { message: 'Be quick', begin: true })
    expect(steered.body).toMatchObject({ in_flight: true, run_id: null })
    await act(it, item, { action: 'answer', input: 'Blue' })
    const program = await next()
    expect(program.spec.stdin).toMatch(/Be quick.*Blue/s)
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(it.runtime.programs.size).toBe(2)
  })
})

describe('what is queued when no run goes on', () => {
  it('begins a run if it asks for one, and says so', async () => {
    const { it, steer, answer, contents } = await place()
    const { status, body } = await steer('Go', { begin: true, client_id: 'k' })
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        message_id: expect.stringMatching(/^msg_/),
        queued: true,
        in_flight: false,
        delivery: 'queued',
        run_id: expect.stringMatching(/^c/),
      },
    })
    expect((await steer('Go', { begin: true, client_id: 'k' })).body).toEqual(body)
    expect((await steer('Go', { client_id: 'k' })).status).toBe(409)
    expect(await answer(0, 'Yes')).toMatch(/Go$/)
    expect(await contents()).toEqual(['Go', 'Yes'])
    expect(it.runtime.programs.size).toBe(1)
  })

  it('begins none in a group without a mention', async () => {
    const { it, chat, steer, answer } = await place()
    await it.call('OWNER', 'POST', `/chats/${chat}/participants`, { user_id: it.person('MEMBER').userId })
    expect((await steer('To all')).body).toMatchObject({ in_flight: false, run_id: null })
    expect((await steer('@ada go')).body.run_id).toEqual(expect.any(String))
    await it.runtime.program()
    await steer('Nice')
    await answer(0, 'Yes')
    expect(it.runtime.programs.size).toBe(1)
  })

  it.each([
    ["status = 'PENDING_REVIEW'", 'agent_pending_review'],
    ["expired_at = '2026-01-01T00:00:00.000Z'", 'agent_expired'],
  ])('is refused when the agent may not work (%s), and nothing is stored', async (change, code) => {
    const { it, steer, contents } = await place()
    it.app.db.prepare(`UPDATE agents SET ${change}`).run()
    for (const begin of [true, false]) expect((await steer('Go', { begin })).body).toMatchObject({ code })
    expect(await contents()).toEqual([])
  })

  it('is refused when the agent was deleted', async () => {
    const { it, steer } = await place()
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    expect(await steer('Go', {})).toMatchObject({ status: 404, body: { detail: 'The agent of this chat was deleted' } })
  })

  it('is refused when nobody could see it', async () => {
    const { steer, contents } = await place()
    expect(await steer('\u200b\u202e\n')).toMatchObject({ status: 400, body: { field: 'message' } })
    expect(await contents()).toEqual([])
  })
})
