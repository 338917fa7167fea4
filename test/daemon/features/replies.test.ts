import { describe, expect, it } from 'vitest'
import { init, result, says } from '../../support/claude-lines.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { openStream, type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>

/** A run of the owner's chat up to its end. */
async function runIn(it: Place, chat: string, { fails = false } = {}) {
  const count = it.runtime.programs.size
  const { run_id } = await it.send(chat, 'Hello')
  const program = await it.runtime.program(count)
  it.runtime.print(program, init, says('Hi.'), ...(fails ? [] : [result()]))
  it.runtime.finish(program, { kind: 'exit', code: fails ? 1 : 0, timedOut: false })
  await it.runs.ended(run_id)
  return run_id as string
}

const notices = async (it: Place, who: 'OWNER' | 'ADMIN' = 'OWNER') =>
  (await it.call(who, 'GET', '/inbox?kind=message')).body.rows

describe('a run that ends while nobody looks', () => {
  it('is told to whoever began the chat, in one item for each chat, and to nobody else', async () => {
    const it = await workplace<FakeRuntime>()
    const heard: unknown[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => type === 'inbox.updated' && heard.push(payload))
    const chat = await it.openChat()
    const run = await runIn(it, chat)
    const { userId } = it.person('OWNER')
    const id = `ibx_message_chat_reply_${chat}_${userId}`
    expect(await notices(it)).toMatchObject([
      {
        id,
        blocking: false,
        state: 'unread',
        target_user_id: userId,
        run_id: run,
        title: 'Agent ada answered: Hello',
        sender_type: 'agent',
        sender_id: it.agentId,
        sender_name: 'Agent ada',
        payload: { chat_id: chat, agent_id: it.agentId, agent_slug: 'ada', chat_url: `/chats/${chat}` },
      },
    ])
    expect(heard).toEqual([{ id, state: 'unread', source: 'chat_reply', chat }])
    expect(await notices(it, 'ADMIN')).toEqual([])
    await it.call('OWNER', 'PATCH', `/inbox/${id}`, { state: 'read' })
    await runIn(it, chat, { fails: true })
    const [failed] = await notices(it)
    expect(failed).toMatchObject({ id, state: 'unread', title: "Agent ada's run failed: Hello" })
    const end = it.entries().findLast(({ entry_type }) => entry_type === 'run.failed')!
    expect(failed.body_md).toBe(end.payload!['error_message'])
    expect(failed.body_md).toBeTruthy()
  })

  it('is told of each chat by itself, and of one without a title by who worked in it', async () => {
    const it = await workplace<FakeRuntime>({ config: { publicUrl: 'https://muster.example//' } })
    const [first, second] = [await it.openChat(), await it.openChat()]
    await runIn(it, first)
    const { run_id } = await it.send(second, 'Hello')
    it.app.db.prepare('UPDATE chats SET title = NULL WHERE id = ?').run(second)
    it.runtime.finish(await it.runtime.program(1))
    await it.runs.ended(run_id)
    const told = (await notices(it)).map((row: { title: string; payload: object }) => [row.title, row.payload])
    const url = (chat: string) => ({ chat_id: chat, chat_url: `https://muster.example/chats/${chat}` })
    expect(told).toHaveLength(2)
    expect(told).toEqual(
      expect.arrayContaining([
        [expect.stringMatching(/^Agent ada.*: Hello$/), expect.objectContaining(url(first))],
        [expect.stringMatching(/^Agent ada('s run failed| answered)$/), expect.objectContaining(url(second))],
      ]),
    )
  })

  it('is told nobody once its agent is deleted', async () => {
    const it = await workplace<FakeRuntime>()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    await it.runtime.program()
    expect((await it.call('ADMIN', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    await it.runs.ended(run_id)
    expect(await notices(it)).toEqual([])
  })

  it('is not told to who sees it, nor to who ended it', async () => {
    const it = await workplace<FakeRuntime>()
    const chat = await it.openChat()
    const stream = await openStream(it.base, it.person('OWNER'), chat, '?follow=true')
    await stream.next()
    await runIn(it, chat)
    expect(await notices(it)).toEqual([])
    stream.reply.destroy()
    const other = await it.openChat()
    const { run_id } = await it.send(other, 'Work')
    await it.call('OWNER', 'POST', `/chats/${other}/cancel`)
    await it.runs.ended(run_id)
    expect(await notices(it)).toEqual([])
  })

  it('is told although somebody else looks', async () => {
    const it = await workplace<FakeRuntime>()
    const chat = await it.openChat()
    const stream = await openStream(it.base, it.person('ADMIN'), chat, '?follow=true')
    await stream.next()
    await runIn(it, chat)
    expect(await notices(it)).toHaveLength(1)
  })
})
