import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { init, result, says } from '../../../support/claude-lines.ts'
import { workplace } from '../../../support/runs.ts'

async function place() {
  const it = await workplace()
  const chat = await it.openChat()
  const path = `/chats/${chat}/messages`
  const heard: unknown[] = []
  it.app.bus.on('broadcast', ({ channel, ...said }) => channel === `session:${chat}` && heard.push(said))
  const group = () => it.call('OWNER', 'POST', `/chats/${chat}/participants`, { user_id: it.person('MEMBER').userId })
  const finish = async (run: string) => {
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('Yes'), result())
    it.runtime.finish(program)
    await it.runs.ended(run)
  }
  const contents = async () =>
    (await it.call('OWNER', 'GET', path)).body.messages.map((m: { content: string }) => m.content)
  return { it, chat, path, heard, group, finish, contents }
}

describe('a group chat', () => {
  it.each(['Hello', 'ada, hello', 'mail ada@example.com', '`@ada`', '```\n@ada\n```', '@adam', 'x@ada', '@bob hello'])(
    'keeps %j, which does not mention its agent, without an answer',
    async (content) => {
      const { it, path, heard, group, contents } = await place()
      await it.mate('bob')
      await group()
      heard.length = 0
      const { status, body } = await it.call('MEMBER', 'POST', path, { content })
      expect({ status, body }).toEqual({
        status: 202,
        body: { message_id: expect.stringMatching(/^msg_/), run_id: null },
      })
      expect(await contents()).toEqual([content])
      const author_user_id = it.person('MEMBER').userId
      expect(heard).toEqual([
        {
          type: 'chat_event',
          payload: { type: 'user_message', content, metadata: { message_id: body.message_id, author_user_id } },
        },
        { type: 'chat_event', payload: { type: 'done', content: '', metadata: { no_reply: true } } },
      ])
      expect(it.entries().at(-1)).toMatchObject({ entry_type: 'chat.user_message', payload: { no_reply: true } })
      expect(it.runtime.programs.size).toBe(0)
    },
  )

  it('does not call an agent of another crew, nor anybody who is not there', async () => {
    const { it, path, group, contents } = await place()
    await group()
    const crew_id = (await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    await it.call('OWNER', 'POST', '/agents', { name: 'Zoe', slug: 'zoe', crew_id })
    for (const content of ['@zoe hello', '@nobody hello'])
      expect((await it.call('MEMBER', 'POST', path, { content })).body.run_id).toBeNull()
    expect(await contents()).toEqual(['@zoe hello', '@nobody hello'])
    expect(it.runtime.programs.size).toBe(0)
  })

  it.each(['@ada hello', 'Hello @ADA!', '(@ada)'])('has %j answered', async (content) => {
    const { it, path, group, finish, contents } = await place()
    await group()
    const { status, body } = await it.call('MEMBER', 'POST', path, { content })
    expect({ status, run: typeof body.run_id }).toEqual({ status: 202, run: 'string' })
    await finish(body.run_id)
    expect(await contents()).toEqual([content, 'Yes'])
  })

  it('takes what people say to each other while its agent works, and does not end its run for watchers', async () => {
    const { it, chat, path, heard, group, finish } = await place()
    await group()
    const { run_id } = await it.send(chat, '@ada go')
    heard.length = 0
    expect((await it.call('MEMBER', 'POST', path, { content: 'Nice' })).body.run_id).toBeNull()
    expect(heard).toMatchObject([{ payload: { type: 'user_message', content: 'Nice' } }])
    expect(await it.call('MEMBER', 'POST', path, { content: '@ada and you?' })).toMatchObject({
      status: 409,
      body: { code: 'chat_busy' },
    })
    await finish(run_id)
  })

  it('tells everybody but the one who asked of the answer', async () => {
    const { it, chat, group, finish } = await place()
    await group()
    await finish((await it.send(chat, '@ada go', it.person('MEMBER'))).run_id)
    const notices = async (who: 'OWNER' | 'MEMBER') =>
      (await it.call(who, 'GET', '/inbox')).text.includes(`chat_reply_${chat}_${it.person(who).userId}`)
    expect([await notices('OWNER'), await notices('MEMBER')]).toEqual([true, false])
  })

  it('clears the notice of whoever reads the chat, and all when it is deleted', async () => {
    const { it, chat, group, finish } = await place()
    await group()
    const guest = it.person('VIEWER')
    await it.call('OWNER', 'POST', `/chats/${chat}/participants`, { user_id: guest.userId })
    await finish((await it.send(chat, '@ada go', it.person('MEMBER'))).run_id)
    const open = async (who: 'OWNER' | 'VIEWER') => (await it.call(who, 'GET', '/inbox?state=unread')).body.count
    expect([await open('OWNER'), await open('VIEWER')]).toEqual([1, 1])
    expect((await it.call('OWNER', 'PUT', `/agents/${it.agentId}/chats/${chat}/read`)).status).toBe(200)
    expect([await open('OWNER'), await open('VIEWER')]).toEqual([0, 1])
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)).status).toBe(204)
    expect(await open('VIEWER')).toBe(0)
  })

  it('answers everything again once nobody else is in it', async () => {
    const { it, chat, path, group, finish } = await place()
    await group()
    await it.call('OWNER', 'DELETE', `/chats/${chat}/participants/${it.person('MEMBER').userId}`)
    await finish((await it.call('OWNER', 'POST', path, { content: 'Hello' })).body.run_id)
  })
})

describe('a message under a key of the client', () => {
  it('is there once, however often it is sent', async () => {
    const { it, path, finish, contents } = await place()
    const body = { content: 'Hello', client_id: 'k1' }
    const first = await it.call('OWNER', 'POST', path, body)
    expect((await it.call('OWNER', 'POST', path, body)).body).toEqual(first.body)
    await finish(first.body.run_id)
    const again = await it.call('OWNER', 'POST', path, { content: 'Hello' }, { 'idempotency-key': 'k1' })
    expect({ status: again.status, body: again.body }).toEqual({ status: 202, body: first.body })
    expect(await contents()).toEqual(['Hello', 'Yes'])
    expect(it.runtime.programs.size).toBe(1)
  })

  it('is answered as before by a daemon after the one that died', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'muster-sends-')), 'muster.db')
    const it = await workplace({ file })
    const path = `/chats/${await it.openChat()}/messages`
    const body = { content: 'Hello', client_id: 'k1' }
    const first = await it.call('OWNER', 'POST', path, body)
    const next = await daemon({ file, empty: true })
    const again = await next.call(it.person('OWNER'), 'POST', path, body)
    expect({ status: again.status, body: again.body }).toEqual({ status: 202, body: first.body })
    expect((await next.call(it.person('OWNER'), 'GET', path)).body.messages).toMatchObject([{ content: 'Hello' }])
  })

  it('is refused when it is another one', async () => {
    const { it, chat, path } = await place()
    await it.call('OWNER', 'POST', path, { content: 'Hello', client_id: 'k1' })
    const refused = { status: 409, body: { code: 'client_id_taken', field: 'client_id' } }
    expect(await it.call('OWNER', 'POST', path, { content: 'Other', client_id: 'k1' })).toMatchObject(refused)
    expect(await it.call('OWNER', 'POST', path, { content: 'Hello', max_turns: 3, client_id: 'k1' })).toMatchObject(
      refused,
    )
    expect(await it.call('OWNER', 'POST', `/chats/${chat}/steer`, { message: 'Hello', client_id: 'k1' })).toMatchObject(
      refused,
    )
  })

  it('is one of that person in that chat', async () => {
    const { it, path, group } = await place()
    await group()
    const say = (who: 'OWNER' | 'MEMBER', where = path) =>
      it.call(who, 'POST', where, { content: 'Hello', client_id: 'k1' })
    const other = `/chats/${await it.openChat()}/messages`
    const ids = [await say('OWNER'), await say('MEMBER'), await say('OWNER', other)].map(({ body }) => body.message_id)
    expect(new Set(ids).size).toBe(3)
  })

  it('leaves its key free when it was refused', async () => {
    const { it, chat, path, finish } = await place()
    const { run_id } = await it.send(chat, 'Go')
    expect((await it.call('OWNER', 'POST', path, { content: 'More', client_id: 'k1' })).status).toBe(409)
    await finish(run_id)
    expect((await it.call('OWNER', 'POST', path, { content: 'Else', client_id: 'k1' })).status).toBe(202)
  })

  it('has a key of 1 to 128 characters, the same in body and header', async () => {
    const { it, path } = await place()
    const send = (client_id: string | undefined, header?: string) =>
      it.call(
        'OWNER',
        'POST',
        path,
        { content: 'x', client_id },
        header === undefined ? {} : { 'idempotency-key': header },
      )
    const refused = { status: 400, body: { code: 'invalid_field', field: 'client_id' } }
    for (const args of [[''], ['x'.repeat(129)], [undefined, 'x'.repeat(129)], ['a', 'b']] as const)
      expect(await send(args[0], args[1])).toMatchObject(refused)
    expect((await send('x'.repeat(128))).status).toBe(202)
  })

  it('is answered though its agent was deleted meanwhile; another message is not', async () => {
    const { it, path, finish } = await place()
    const first = await it.call('OWNER', 'POST', path, { content: 'Hello', client_id: 'k1' })
    await finish(first.body.run_id)
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    expect((await it.call('OWNER', 'POST', path, { content: 'Hello', client_id: 'k1' })).body).toEqual(first.body)
    expect(await it.call('OWNER', 'POST', path, { content: 'Hello' })).toMatchObject({
      status: 404,
      body: { detail: 'The agent of this chat was deleted' },
    })
  })
})

it('answers one of two people who speak at the same time', async () => {
  const { it, path, group, contents } = await place()
  await group()
  const sent = await Promise.all([
    it.call('OWNER', 'POST', path, { content: '@ada one' }),
    it.call('MEMBER', 'POST', path, { content: '@ada two' }),
  ])
  expect(sent.map(({ status }) => status).sort()).toEqual([202, 409])
  expect(await contents()).toHaveLength(1)
})

describe('chats.steer', () => {
  it('is refused where nothing runs', async () => {
    const it = await daemon()
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id
    const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })).body.id
    const chat = (await it.call('OWNER', 'POST', `/agents/${agent}/chats`)).body.id
    expect(await it.call('OWNER', 'POST', `/chats/${chat}/steer`, { message: 'x' })).toMatchObject({
      status: 503,
      body: { code: 'runtime_unavailable' },
    })
  })

  it('keeps a message for the next turn, and says whether a run goes on', async () => {
    const { it, chat, path, heard, finish } = await place()
    const steer = (message: string) => it.call('MEMBER', 'POST', `/chats/${chat}/steer`, { message })
    const author_user_id = it.person('MEMBER').userId
    const { run_id } = await it.send(chat, 'Go')
    heard.length = 0
    const during = await steer('Use SQLite')
    expect({ status: during.status, body: during.body }).toEqual({
      status: 202,
      body: {
        message_id: expect.stringMatching(/^msg_/),
        queued: true,
        in_flight: true,
        delivery: 'pending',
        run_id: null,
      },
    })
    expect(heard).toEqual([
      {
        type: 'steering_queued',
        payload: {
          chat_id: chat,
          in_flight: true,
          content: 'Use SQLite',
          message_id: during.body.message_id,
          author_user_id,
          delivery: 'pending',
        },
      },
    ])
    await finish(run_id)
    expect((await steer('And tests')).body).toMatchObject({ queued: true, in_flight: false })
    const { messages } = (await it.call('OWNER', 'GET', path)).body
    expect(messages).toMatchObject([
      { role: 'user', content: 'Go' },
      {
        role: 'user',
        content: 'Use SQLite',
        agent_id: it.agentId,
        author_user_id,
        metadata: { kind: 'queued_steer', in_flight: true },
      },
      { role: 'assistant', content: 'Yes' },
      { content: 'And tests', metadata: { kind: 'queued_steer', in_flight: false } },
    ])
    expect(it.runtime.programs.size).toBe(1)
  })

  it('is refused when it is blank, and to strangers', async () => {
    const { it, chat } = await place()
    const steer = (who: Parameters<typeof it.call>[0], message?: string) =>
      it.call(who, 'POST', `/chats/${chat}/steer`, message === undefined ? {} : { message })
    for (const message of ['', ' \n', undefined])
      expect(await steer('OWNER', message)).toMatchObject({ status: 400, body: { field: 'message' } })
    expect((await steer(it.stranger(), 'x')).status).toBe(404)
    expect((await steer('VIEWER', 'x')).status).toBe(202)
  })
})
