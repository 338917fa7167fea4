import { describe, expect, it } from 'vitest'
import { addPerson } from '#test'
import { init, result, says } from '../../support/claude-lines.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>

/** One whole turn. */
async function turn(it: Place, chat: string, message: string, answer: string) {
  const { run_id } = await it.send(chat, message)
  const program = await it.runtime.program(it.runtime.programs.size)
  it.runtime.print(program, init, says(answer), result())
  it.runtime.finish(program)
  await it.runs.ended(run_id)
}

const listed = async (it: Place, who: Parameters<Place['call']>[0] = 'OWNER') =>
  (await it.call(who, 'GET', `/agents/${it.agentId}/chats`)).body

describe('chats.create', () => {
  it('opens a chat, journals it, and lists it', async () => {
    const it = await workplace()
    const { status, body } = await it.call('MEMBER', 'POST', `/agents/${it.agentId}/chats`, { origin: 'CLI' })
    expect({ status, body }).toEqual({ status: 201, body: { id: expect.stringMatching(/^c[a-z0-9]{24}$/) } })
    expect(await listed(it)).toEqual([
      {
        id: body.id,
        agent_id: it.agentId,
        workspace_id: it.workspace,
        title: null,
        mode: 'CHAT',
        status: 'ACTIVE',
        visibility: 'private',
        origin: 'CLI',
        message_count: 0,
        unread_count: 0,
        started_at: '2026-01-01T00:00:00Z',
        ended_at: null,
        last_activity_at: '2026-01-01T00:00:00.000Z',
        created_at: '2026-01-01T00:00:00Z',
      },
    ])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      agent_id: it.agentId,
      payload: { entity_type: 'chat', entity_id: body.id },
    })
  })

  it('needs no body, and takes an unknown origin for none', async () => {
    const it = await workplace()
    expect((await it.call('OWNER', 'POST', `/agents/${it.agentId}/chats`)).status).toBe(201)
    await it.call('OWNER', 'POST', `/agents/${it.agentId}/chats`, { origin: 'PIGEON' })
    expect((await listed(it)).map((chat: { origin: unknown }) => chat.origin)).toEqual([null, null])
  })

  it('is the same chat again with an id of the caller’s own, and refused to another agent', async () => {
    const it = await workplace()
    const open = (agent: string) => it.call('OWNER', 'POST', `/agents/${agent}/chats`, { session_id: 'mine-1' })
    const before = it.entries().length
    expect((await open(it.agentId)).body).toEqual({ id: 'mine-1' })
    expect(await open(it.agentId)).toMatchObject({ status: 201, body: { id: 'mine-1' } })
    expect(it.entries()).toHaveLength(before + 1)
    expect(await open(await it.mate('bob'))).toMatchObject({ status: 409, body: { code: 'chat_taken' } })
    expect(
      (await it.call('OWNER', 'POST', `/agents/${it.agentId}/chats`, { session_id: 'no spaces' })).body,
    ).toMatchObject({
      field: 'session_id',
      detail: 'session_id must be 1 to 128 of A-Z, a-z, 0-9, _ and -: the id of the chat, chosen by the caller',
    })
  })
})

describe('chats.rename', () => {
  it.each([
    ['  many \n  spaces ', 'many spaces'],
    ['bell\u0007 and \u200bzero', 'bell and zero'],
    ['👩‍💻', '👩‍💻'],
    ['x'.repeat(200), 'x'.repeat(200)],
  ])('takes %j as %j', async (given, kept) => {
    const it = await workplace()
    const chat = await it.openChat()
    const heard: unknown[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => type === 'chat_renamed' && heard.push(payload))
    const { status, body } = await it.call('OWNER', 'PATCH', `/agents/${it.agentId}/chats/${chat}`, { title: given })
    expect({ status, title: body.title }).toEqual({ status: 200, title: kept })
    expect(heard).toEqual([{ agent_id: it.agentId, chat_id: chat, title: kept }])
  })

  it.each(['', ' \n ', '\u200b', 'x'.repeat(201)])('refuses %j', async (title) => {
    const it = await workplace()
    const chat = await it.openChat()
    expect(await it.call('OWNER', 'PATCH', `/agents/${it.agentId}/chats/${chat}`, { title })).toMatchObject({
      status: 400,
      body: { field: 'title' },
    })
  })

  it('is for its creator and for those who may change the agent', async () => {
    const it = await workplace()
    const { body } = await it.call('MEMBER', 'POST', `/agents/${it.agentId}/chats`)
    const rename = (who: Parameters<typeof it.call>[0]) =>
      it.call(who, 'PATCH', `/agents/${it.agentId}/chats/${body.id}`, { title: 'x' })
    expect((await rename('MEMBER')).status).toBe(200)
    expect((await rename('ADMIN')).status).toBe(200)
    expect(await rename('VIEWER')).toMatchObject({ status: 403, body: { code: 'insufficient_role' } })
    expect((await rename('MANAGER')).status).toBe(403)
    expect((await rename(it.stranger())).status).toBe(404)
  })
})

describe('chats.read', () => {
  it('counts as unread what others wrote after the cursor', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    await turn(it, chat, 'Hello', 'Hi')
    const unread = async (who: Parameters<typeof it.call>[0]) => (await listed(it, who))[0].unread_count
    expect([await unread('OWNER'), await unread('MEMBER')]).toEqual([1, 2])
    const { status, body } = await it.call('OWNER', 'PUT', `/agents/${it.agentId}/chats/${chat}/read`)
    expect({ status, body }).toEqual({ status: 200, body: { chat_id: chat, last_read_at: '2026-01-01T00:00:00Z' } })
    expect([await unread('OWNER'), await unread('MEMBER')]).toEqual([0, 2])
    await turn(it, chat, 'More', 'Fine')
    expect(await unread('OWNER')).toBe(1)
  })
})

describe('chats.list', () => {
  it('has the latest activity first, which a new title does not count as', async () => {
    const it = await workplace()
    const first = await it.openChat()
    it.clock.advance(1000)
    const second = await it.openChat()
    const ids = async () => (await listed(it)).map(({ id }: { id: string }) => id)
    expect(await ids()).toEqual([second, first])
    it.clock.advance(1000)
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}/chats/${first}`, { title: 'Named' })
    expect(await ids()).toEqual([second, first])
    await turn(it, first, 'Hello', 'Hi')
    expect(await ids()).toEqual([first, second])
  })

  it('comes in windows', async () => {
    const it = await workplace()
    const chats: string[] = []
    for (let n = 0; n < 101; n++) {
      it.clock.advance(1000)
      chats.unshift(await it.openChat())
    }
    const ids = async (query: string) =>
      (await it.call('OWNER', 'GET', `/agents/${it.agentId}/chats${query}`)).body.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual(chats.slice(0, 100))
    expect(await ids('?limit=500')).toEqual(chats.slice(0, 100))
    expect(await ids('?limit=20')).toEqual(chats.slice(0, 20))
    expect(await ids('?limit=20&offset=90')).toEqual(chats.slice(90))
  })

  it('is named after the first thing that a user said', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    await turn(it, chat, `Please\n\nlook   at ${'x'.repeat(80)}`, 'Hi')
    await turn(it, chat, 'Something else', 'Hi')
    const [{ title, message_count }] = await listed(it)
    expect({ title, message_count }).toEqual({ title: `Please look at ${'x'.repeat(45)}...`, message_count: 4 })
  })
})

describe('chats.messages', () => {
  it('answers the newest without an offset, and windows from the oldest with one', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    for (const n of [1, 2, 3]) await turn(it, chat, `q${n}`, `a${n}`)
    const texts = async (query: string) =>
      (await it.call('OWNER', 'GET', `/chats/${chat}/messages${query}`)).body.messages.map(
        (m: { content: string }) => m.content,
      )
    expect(await texts('')).toEqual(['q1', 'a1', 'q2', 'a2', 'q3', 'a3'])
    expect(await texts('?limit=2')).toEqual(['q3', 'a3'])
    expect(await texts('?offset=0&limit=2')).toEqual(['q1', 'a1'])
    expect(await texts('?offset=4')).toEqual(['q3', 'a3'])
    expect(await texts('?offset=-1&limit=nonsense')).toEqual(['q1', 'a1', 'q2', 'a2', 'q3', 'a3'])
    expect(await texts('?offset=99')).toEqual([])
  })

  it('looks empty where there is no chat, or a foreign one', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    await turn(it, chat, 'secret', 'secret')
    expect(await it.call(it.stranger(), 'GET', `/chats/${chat}/messages`)).toMatchObject({
      status: 200,
      body: { chat_id: chat, messages: [] },
    })
    expect(await it.call('OWNER', 'GET', '/chats/none/messages')).toMatchObject({
      status: 200,
      body: { chat_id: 'none', messages: [] },
    })
  })

  it('takes the workspace from the chat, whatever the request names', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    await turn(it, chat, 'q', 'a')
    const { body } = await it.call('OWNER', 'GET', `/chats/${chat}/messages`, undefined, { 'x-workspace-id': 'cnone' })
    expect(body.messages).toHaveLength(2)
    expect(body.messages[0]).toMatchObject({
      id: expect.stringMatching(/^msg_\d{19}_[0-9a-f]{8}$/),
      session_id: chat,
      role: 'user',
      author_user_id: it.person('OWNER').userId,
    })
  })
})

describe('chats.remove', () => {
  it('takes messages and cursors along, and journals it', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    await turn(it, chat, 'q', 'a')
    await it.call('OWNER', 'PUT', `/agents/${it.agentId}/chats/${chat}/read`)
    expect((await it.call('VIEWER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)).status).toBe(403)
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)).status).toBe(204)
    expect(await listed(it)).toEqual([])
    const left = (table: string) => it.app.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    expect([left('chat_messages'), left('chat_read_cursors')]).toEqual([0, 0])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      payload: { entity_type: 'chat', entity_id: chat },
    })
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)).status).toBe(404)
  })

  it('waits for the run that is going on', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    expect(await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)).toMatchObject({
      status: 409,
      body: { code: 'chat_busy', run_id },
    })
  })
})

describe('chats.send', () => {
  it('stores message and run together, and answers at once', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const sent = await it.send(chat, 'Hello')
    const { userId } = it.person('OWNER')
    const entries = it.entries().filter(({ trace_id }) => trace_id === sent.run_id)
    expect(entries.slice(0, 2)).toMatchObject([
      {
        entry_type: 'chat.user_message',
        actor_type: 'user',
        actor_id: userId,
        payload: { chat_id: chat, agent_slug: 'ada', content: 'Hello', length_chars: 5 },
      },
      {
        entry_type: 'run.started',
        actor_type: 'sidecar',
        actor_id: userId,
        payload: { trigger_type: 'USER', chat_id: chat, metadata: { tags: [] } },
      },
    ])
    expect((await it.call('OWNER', 'GET', `/agents/${it.agentId}`)).body.status).toBe('RUNNING')
    expect((await it.call('OWNER', 'GET', `/runs/${sent.run_id}`)).body).toMatchObject({
      status: 'RUNNING',
      chat_id: chat,
      triggered_by: userId,
    })
    const { body } = await it.call('OWNER', 'GET', `/chats/${chat}/messages`)
    expect(body.messages).toMatchObject([{ id: sent.message_id, role: 'user', content: 'Hello' }])
  })

  it('takes one of two messages sent at once, and loses nothing of it', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const post = (content: string, who: 'OWNER' | 'MEMBER') =>
      it.call(who, 'POST', `/chats/${chat}/messages`, { content })
    const answers = await Promise.all([post('one', 'OWNER'), post('two', 'MEMBER'), post('three', 'OWNER')])
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409])
    const won = answers.find(({ status }) => status === 202)!
    for (const lost of answers.filter(({ status }) => status === 409))
      expect(lost.body).toMatchObject({ code: 'chat_busy', run_id: won.body.run_id })
    const { body } = await it.call('OWNER', 'GET', `/chats/${chat}/messages`)
    expect(body.messages.map(({ id }: { id: string }) => id)).toEqual([won.body.message_id])
    expect(it.entries().filter(({ entry_type }) => entry_type === 'run.started')).toHaveLength(1)
  })

  it('keeps of the metadata only an ask submission that is one', async () => {
    const it = await workplace()
    const submission = { submission_id: 's1', form_id: 'f1', form_version: 1, values: { a: 1 }, rendered_text: 'a: 1' }
    const kept = async (metadata: object) => {
      const chat = await it.openChat()
      const { body } = await it.call('OWNER', 'POST', `/chats/${chat}/messages`, { content: 'x', metadata })
      const { messages } = (await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body
      return messages.find(({ id }: { id: string }) => id === body.message_id).metadata
    }
    expect(await kept({ ask_submission: submission, admin: true })).toEqual({ ask_submission: submission })
    const whole = { ...submission, form_label: 'Form', field_attachment_ids: { scan: ['a1'] } }
    expect(await kept({ ask_submission: { ...whole, admin: true } })).toEqual({ ask_submission: whole })
    for (const flaw of [
      { form_version: 0 },
      { form_id: 'Form 1' },
      { submission_id: '' },
      { values: [] },
      { field_attachment_ids: { scan: 'a1' } },
      { rendered_text: 'x'.repeat(32_001) },
      { rendered_text: undefined },
    ])
      expect(await kept({ ask_submission: { ...submission, ...flaw } })).toBeUndefined()
    const emoji = { ...submission, rendered_text: '🙂'.repeat(32_000) }
    expect(await kept({ ask_submission: emoji })).toEqual({ ask_submission: emoji })
    expect(await kept({ ask_submission: 'x' })).toBeUndefined()
  })

  it.each([
    [{}, 'content'],
    [{ content: '' }, 'content'],
    [{ content: ' \n ' }, 'content'],
    [{ content: '\u200b\u202e\u2060' }, 'content'],
    [{ content: 'x'.repeat(200_001) }, 'content'],
    [{ content: 'x', max_turns: 201 }, 'max_turns'],
  ])('refuses %j', async (body, field) => {
    const it = await workplace()
    const chat = await it.openChat()
    const answer = await it.call('OWNER', 'POST', `/chats/${chat}/messages`, body)
    expect(answer).toMatchObject({ status: 400, body: { field } })
    expect((await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages).toEqual([])
  })

  it('answers 404 to strangers', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    expect((await it.call(it.stranger(), 'POST', `/chats/${chat}/messages`, { content: 'x' })).status).toBe(404)
    expect((await it.call('OWNER', 'POST', '/chats/none/messages', { content: 'x' })).status).toBe(404)
  })

  it('refuses an agent that waits for review, or has no crew', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    it.app.db.prepare("UPDATE agents SET status = 'PENDING_REVIEW' WHERE id = ?").run(it.agentId)
    expect(await it.call('OWNER', 'POST', `/chats/${chat}/messages`, { content: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'agent_pending_review', reason: 'pending_review', agent_id: it.agentId },
    })
    const { body: loner } = await it.call('OWNER', 'POST', '/agents', { name: 'Loner', slug: 'loner' })
    const other = await it.openChat(loner.id)
    expect((await it.call('OWNER', 'POST', `/chats/${other}/messages`, { content: 'x' })).body.code).toBe(
      'crew_not_running',
    )
  })

  it('needs a token whose scopes allow it', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const narrow = it.app.writeNow(() => addPerson(it.app, 'OWNER', it.workspace, { scopes: ['credentials:write'] }))
    expect((await it.call(narrow, 'POST', `/chats/${chat}/messages`, { content: 'x' })).body.code).toBe(
      'insufficient_scope',
    )
    expect((await it.call(narrow, 'GET', `/chats/${chat}/messages`)).status).toBe(200)
  })
})
