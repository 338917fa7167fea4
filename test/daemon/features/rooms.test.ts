import { describe, expect, it } from 'vitest'
import { addPerson, daemon, type Person, type TestDaemon } from '#test'

const ids = { room: expect.stringMatching(/^c[a-z0-9]{24}$/) }

/** A daemon whose owner has two colleagues. */
async function office() {
  const it = await daemon()
  const add = (full_name: string): Person => {
    const person = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    it.app.db.prepare('UPDATE users SET full_name = ? WHERE id = ?').run(full_name, person.userId)
    return person
  }
  const owner = it.person('OWNER')
  return { ...it, owner, grace: add('Grace Hopper'), alan: add('Alan Turing') }
}
type Office = Awaited<ReturnType<typeof office>>

const open = (it: TestDaemon, who: Person, body: object) => it.call(who, 'POST', '/conversations', body)
const group = (title: string, members: Person[], client_id = title) => ({
  kind: 'group',
  title,
  member_ids: members.map(({ userId }) => userId),
  client_id,
})
const direct = (other: Person, client_id = 'direct') => ({
  kind: 'group',
  is_direct: true,
  member_ids: [other.userId],
  client_id,
})
const say = (it: TestDaemon, who: Person, room: string, content: string, client_id = content) =>
  it.call(who, 'POST', `/conversations/${room}/messages`, { content, client_id })

/** What is broadcast from now on. */
function listen({ app }: TestDaemon) {
  const heard: { channel: string; type: string; payload: Record<string, unknown> }[] = []
  app.bus.on('broadcast', (it) => heard.push(it as (typeof heard)[number]))
  return heard
}

async function crewed(it: Office): Promise<string> {
  const crew = await it.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })
  return (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.body.id })).body.id
}

describe('rooms.create', () => {
  it('opens a group, tells its members, and journals neither its title nor what is said', async () => {
    const it = await office()
    const heard = listen(it)
    const { status, body } = await open(it, it.owner, group('  Release   2 ', [it.grace]))
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: ids.room,
        workspace_id: it.workspace,
        kind: 'group',
        is_direct: false,
        title: 'Release   2',
        source_conversation_id: null,
        agent_id: null,
        agent: null,
        run_id: null,
        created_by: it.owner.userId,
        created_at: '2026-01-01T00:00:00Z',
        updated_at: '2026-01-01T00:00:00Z',
        last_message_at: null,
        last_seq: 0,
        unread_count: 0,
        members: [
          expect.objectContaining({ user_id: it.owner.userId, role: 'owner', joined_at: '2026-01-01T00:00:00Z' }),
          {
            user_id: it.grace.userId,
            full_name: 'Grace Hopper',
            avatar_url: null,
            role: 'member',
            joined_at: '2026-01-01T00:00:00Z',
          },
        ],
      },
    })
    expect(heard.map(({ channel, type }) => [channel, type])).toEqual([
      [`user:${it.owner.userId}`, 'room.created'],
      [`user:${it.grace.userId}`, 'room.created'],
    ])
    expect(heard[1]!.payload).toEqual(body)
    await say(it, it.grace, body.id, 'a secret word')
    const entries = JSON.stringify(it.entries())
    expect(entries).toContain('opened a group of 2 members')
    expect(entries).not.toMatch(/Release|a secret word/)
  })

  it.each([
    ['kind', { kind: 'crowd', title: 'x' }],
    ['title', { kind: 'group' }],
    ['title', { kind: 'group', title: ' ' }],
    ['title', { kind: 'group', title: 'x'.repeat(121) }],
    ['title', { kind: 'group', title: 'two\nlines' }],
    ['agent_id', { kind: 'channel', title: 'x' }],
    ['agent_id', { kind: 'group', title: 'x', agent_id: 'c' }],
    ['is_direct', { kind: 'channel', title: 'x', agent_id: 'c', is_direct: true }],
    ['member_ids', { kind: 'group', is_direct: true }],
    ['title', { kind: 'group', is_direct: true, title: 'x', member_ids: ['c'] }],
    ['member_ids', { kind: 'group', title: 'x', member_ids: Array.from({ length: 499 }, (_, n) => `c${n}`) }],
    ['client_id', { kind: 'group', title: 'x', client_id: '' }],
    ['client_id', { kind: 'group', title: 'x', client_id: 'é'.repeat(65) }],
    ['client_id', { kind: 'group', title: 'x', client_id: undefined }],
  ])('refuses a bad %s: %j', async (field, body) => {
    const it = await daemon({ shared: true })
    const { status, body: answer } = await it.call('OWNER', 'POST', '/conversations', { client_id: 'c', ...body })
    expect({ status, field: answer.field }).toEqual({ status: 400, field })
  })

  it('takes a title of 120 characters, 498 people and a client_id of 128 bytes', async () => {
    const it = await office()
    const people = it.app.writeNow(() => Array.from({ length: 498 }, () => addPerson(it.app, 'VIEWER', it.workspace)))
    const { status, body } = await open(it, it.owner, group('😀'.repeat(120), people, 'é'.repeat(64)))
    expect({ status, members: body.members?.length }).toEqual({ status: 201, members: 499 })
  })

  it('answers for people and agents of other workspaces as for absent ones', async () => {
    const it = await office()
    expect((await open(it, it.owner, group('x', [it.stranger()]))).status).toBe(404)
    const channel = { kind: 'channel', title: 'x', agent_id: 'cnone', client_id: 'x' }
    expect((await open(it, it.owner, channel)).status).toBe(404)
    expect((await it.call('OWNER', 'GET', '/conversations')).body).toEqual([])
  })

  it('makes a repeated request the same room, and refuses another request with its client_id', async () => {
    const it = await office()
    const { body: first } = await open(it, it.owner, group('Release', [it.grace, it.alan], 'one'))
    const again = { ...group(' Release', [it.alan, it.grace, it.alan, it.owner], 'one') }
    expect(await open(it, it.owner, again)).toMatchObject({ status: 200, body: { id: first.id } })
    expect(await open(it, it.owner, group('Release', [it.grace], 'one'))).toMatchObject({
      status: 409,
      body: { code: 'client_id_taken' },
    })
    expect(await open(it, it.grace, group('Release', [it.alan], 'one'))).toMatchObject({ status: 201 })
    expect((await it.call('OWNER', 'GET', '/conversations')).body).toHaveLength(1)
  })

  it('has one direct room for a pair, whoever opens it', async () => {
    const it = await office()
    const { status, body } = await open(it, it.owner, direct(it.grace))
    expect({ status, body }).toMatchObject({ status: 201, body: { kind: 'group', is_direct: true, title: null } })
    expect(await open(it, it.grace, direct(it.owner))).toMatchObject({ status: 200, body: { id: body.id } })
    expect(await open(it, it.owner, direct(it.grace, 'another'))).toMatchObject({ status: 200, body: { id: body.id } })
    expect(await open(it, it.owner, direct(it.alan, 'another'))).toMatchObject({ status: 409 })
    expect(await open(it, it.owner, direct(it.owner, 'self'))).toMatchObject({ status: 400 })
    expect(await open(it, it.owner, direct(it.alan, 'third'))).toMatchObject({ status: 201 })
  })

  it('opens a channel with one notice, and runs nothing', async () => {
    const it = await office()
    const agent_id = await crewed(it)
    const before = it.entries().length
    const { body } = await open(it, it.owner, { ...group('Build', [it.grace]), kind: 'channel', agent_id })
    expect(body).toMatchObject({
      kind: 'channel',
      agent: { id: agent_id, name: 'Ada', slug: 'ada' },
      last_seq: 1,
      unread_count: 0,
    })
    const { messages } = (await it.call(it.grace, 'GET', `/conversations/${body.id}/messages`)).body
    expect(messages).toEqual([
      expect.objectContaining({ seq: 1, kind: 'notice', author_type: 'system', author_id: null, author_name: null }),
    ])
    expect(messages[0].content).toBe('Ada joined; it answers when it is mentioned as @ada')
    expect(
      it
        .entries()
        .slice(before)
        .map(({ entry_type }) => entry_type),
    ).toEqual(['audit.entity_created'])
  })
})

describe('rooms.list and rooms.show', () => {
  it('lists the rooms of the caller alone, latest activity first', async () => {
    const it = await office()
    const one = (await open(it, it.owner, group('one', [it.grace]))).body.id
    it.clock.advance(1000)
    const two = (await open(it, it.owner, group('two', []))).body.id
    const listed = async (who: Person, query = '') =>
      (await it.call(who, 'GET', `/conversations${query}`)).body.map(({ id }: { id: string }) => id)
    expect(await listed(it.owner)).toEqual([two, one])
    it.clock.advance(1000)
    await say(it, it.grace, one, 'Hello')
    expect(await listed(it.owner)).toEqual([one, two])
    expect(await listed(it.owner, '?limit=1')).toEqual([one])
    expect(await listed(it.owner, '?limit=1&offset=1')).toEqual([two])
    expect(await listed(it.owner, '?kind=channel')).toEqual([])
    expect([await listed(it.grace), await listed(it.alan)]).toEqual([[one], []])
    expect((await it.call('OWNER', 'GET', '/conversations?kind=crowd')).status).toBe(400)
  })

  it('is absent for everybody else, also for the owner of the workspace', async () => {
    const it = await office()
    const { id } = (await open(it, it.grace, direct(it.alan))).body
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/messages', undefined],
      ['POST', '/messages', { content: 'x', client_id: 'x' }],
      ['PUT', '/read', {}],
      ['POST', '/continue', { kind: 'group', title: 'x', member_ids: [it.owner.userId], client_id: 'x' }],
    ] as const)
      expect((await it.call(it.owner, method, `/conversations/${id}${path}`, body)).status, path).toBe(404)
  })
})

describe('rooms.send and rooms.messages', () => {
  it('numbers messages without gaps, and tells the members', async () => {
    const it = await office()
    const { id } = (await open(it, it.owner, group('x', [it.grace]))).body
    const heard = listen(it)
    const { status, body } = await say(it, it.owner, id, 'Hello', 'one')
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: ids.room,
        conversation_id: id,
        seq: 1,
        author_type: 'user',
        author_id: it.owner.userId,
        author_name: expect.any(String),
        kind: 'message',
        content: 'Hello',
        created_at: '2026-01-01T00:00:00.000Z',
      },
    })
    expect(heard).toEqual([{ channel: `room:${id}`, type: 'room.message', payload: body }])
    await Promise.all(Array.from({ length: 20 }, (_, n) => say(it, n % 2 ? it.owner : it.grace, id, `m${n}`)))
    await say(it, it.owner, 'cnone00000000000000000000', 'lost')
    await say(it, it.grace, id, 'last')
    const { messages, has_more } = (await it.call(it.grace, 'GET', `/conversations/${id}/messages`)).body
    expect(messages.map(({ seq }: { seq: number }) => seq)).toEqual(Array.from({ length: 22 }, (_, n) => n + 1))
    expect(has_more).toBe(false)
    const page = async (query: string) => {
      const { body } = await it.call(it.grace, 'GET', `/conversations/${id}/messages?${query}`)
      return [body.messages.map(({ seq }: { seq: number }) => seq), body.has_more]
    }
    expect(await page('limit=2')).toEqual([[21, 22], true])
    expect(await page('limit=2&before_seq=21')).toEqual([[19, 20], true])
    expect(await page('before_seq=3&limit=2')).toEqual([[1, 2], false])
    expect((await it.call(it.grace, 'GET', `/conversations/${id}/messages?before_seq=0`)).status).toBe(400)
  })

  it('stores a repeated message once, and refuses another one with its client_id', async () => {
    const it = await office()
    const { id } = (await open(it, it.owner, group('x', [it.grace]))).body
    const { body } = await say(it, it.owner, id, 'Hello', 'one')
    expect(await say(it, it.owner, id, 'Hello', 'one')).toMatchObject({ status: 200, body })
    expect(await say(it, it.owner, id, 'Other', 'one')).toMatchObject({
      status: 409,
      body: { code: 'client_id_taken' },
    })
    expect(await say(it, it.grace, id, 'Mine', 'one')).toMatchObject({ status: 201, body: { seq: 2 } })
    const bare = (key?: string) =>
      it.call(
        it.owner,
        'POST',
        `/conversations/${id}/messages`,
        { content: 'By header' },
        key ? { 'idempotency-key': key } : {},
      )
    expect([(await bare('k')).status, (await bare('k')).status]).toEqual([201, 200])
    expect(await bare()).toMatchObject({ status: 400, body: { field: 'client_id' } })
    const both = { content: 'By both', client_id: 'k2' }
    const path = `/conversations/${id}/messages`
    const differing = await it.call(it.owner, 'POST', path, both, { 'idempotency-key': 'k3' })
    expect(differing).toMatchObject({ status: 400, body: { code: 'invalid_field', field: 'client_id' } })
    expect((await it.call(it.owner, 'GET', `/conversations/${id}`)).body.last_seq).toBe(3)
  })

  it.each(['', ' \n', '\u200b', 'x'.repeat(32_001), 'nul \u0000'])('refuses %j', async (content) => {
    const it = await office()
    const { id } = (await open(it, it.owner, group('x', []))).body
    expect(await say(it, it.owner, id, content, 'c')).toMatchObject({ status: 400, body: { field: 'content' } })
  })

  it('takes 32000 characters', async () => {
    const it = await office()
    const { id } = (await open(it, it.owner, group('x', []))).body
    expect((await say(it, it.owner, id, '😀'.repeat(32_000), 'c')).status).toBe(201)
  })
})

describe('rooms.read', () => {
  it('counts what others said after the cursor, which never goes back', async () => {
    const it = await office()
    const { id } = (await open(it, it.owner, group('x', [it.grace]))).body
    for (const text of ['a', 'b', 'c']) await say(it, it.grace, id, text)
    await say(it, it.owner, id, 'd')
    const unread = async (who: Person) => (await it.call(who, 'GET', `/conversations/${id}`)).body.unread_count
    expect([await unread(it.owner), await unread(it.grace)]).toEqual([3, 1])
    const read = async (body?: object) => (await it.call(it.owner, 'PUT', `/conversations/${id}/read`, body)).body
    expect(await read({ seq: 2 })).toEqual({ conversation_id: id, last_read_seq: 2 })
    expect(await unread(it.owner)).toBe(1)
    expect(await read({ seq: 1 })).toMatchObject({ last_read_seq: 2 })
    expect(await read({ seq: 99 })).toMatchObject({ last_read_seq: 4 })
    expect(await read()).toMatchObject({ last_read_seq: 4 })
    expect([await unread(it.owner), await unread(it.grace)]).toEqual([0, 1])
    expect((await it.call(it.owner, 'PUT', `/conversations/${id}/read`, { seq: -1 })).status).toBe(400)
  })
})

describe('rooms.continue', () => {
  const go = (it: TestDaemon, who: Person, source: string, body: object) =>
    it.call(who, 'POST', `/conversations/${source}/continue`, body)

  it('makes a group of a direct room, with both people and others, and no history', async () => {
    const it = await office()
    const { id } = (await open(it, it.owner, direct(it.grace))).body
    await say(it, it.grace, id, 'between us')
    const { status, body } = await go(it, it.owner, id, group('Three', [it.alan, it.grace]))
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { kind: 'group', is_direct: false, title: 'Three', source_conversation_id: id, last_seq: 0 },
    })
    expect(body.members.map(({ user_id }: { user_id: string }) => user_id).sort()).toEqual(
      [it.owner, it.grace, it.alan].map(({ userId }) => userId).sort(),
    )
    expect((await it.call(it.alan, 'GET', `/conversations/${id}`)).status).toBe(404)
    expect((await it.call(it.alan, 'GET', `/conversations/${body.id}/messages`)).body.messages).toEqual([])
  })

  it('makes a channel of a direct room or a group, of the caller and those who are named', async () => {
    const it = await office()
    const agent_id = await crewed(it)
    const sources = [
      (await open(it, it.owner, direct(it.grace))).body.id,
      (await open(it, it.owner, group('x', [it.grace]))).body.id,
    ]
    for (const source of sources) {
      const { status, body } = await go(it, it.owner, source, {
        kind: 'channel',
        title: 'Build',
        agent_id,
        client_id: 'c',
      })
      expect({ status, body }).toMatchObject({ status: 201, body: { kind: 'channel', last_seq: 1 } })
      expect(body.members.map(({ user_id }: { user_id: string }) => user_id)).toEqual([it.owner.userId])
    }
  })

  it('refuses what cannot be continued that way', async () => {
    const it = await office()
    const agent_id = await crewed(it)
    const pair = (await open(it, it.owner, direct(it.grace))).body.id
    const three = (await open(it, it.owner, group('x', [it.grace]))).body.id
    const channel = (await open(it, it.owner, { ...group('y', [it.grace]), kind: 'channel', agent_id })).body.id
    const refused = async (source: string, body: object) => {
      const answer = await go(it, it.owner, source, { title: 't', client_id: 'c', ...body })
      return [answer.status, answer.body.field]
    }
    const alan = [it.alan.userId]
    expect(await refused(three, { kind: 'group', member_ids: alan })).toEqual([400, 'kind'])
    expect(await refused(channel, { kind: 'group', member_ids: alan })).toEqual([400, 'kind'])
    expect(await refused(channel, { kind: 'channel', agent_id })).toEqual([400, 'kind'])
    expect(await refused(pair, { kind: 'group', member_ids: [] })).toEqual([400, 'member_ids'])
    expect(await refused(pair, { kind: 'group', member_ids: [it.grace.userId, it.owner.userId] })).toEqual([
      400,
      'member_ids',
    ])
    expect(await refused(pair, { kind: 'group', member_ids: alan, agent_id })).toEqual([400, 'agent_id'])
    expect(await refused(pair, { kind: 'channel' })).toEqual([400, 'agent_id'])
    expect(await refused(pair, { kind: 'group', member_ids: alan, title: '' })).toEqual([400, 'title'])
    expect(await refused(pair, { kind: 'group', member_ids: [it.stranger().userId] })).toEqual([404, 'member_ids'])
    expect(await refused(pair, { kind: 'channel', agent_id: 'cnone' })).toEqual([404, undefined])
    expect((await it.call('OWNER', 'GET', '/conversations')).body).toHaveLength(3)
  })

  it('leaves its source as it is: kind, people, messages', async () => {
    const it = await office()
    const agent_id = await crewed(it)
    const { id } = (await open(it, it.owner, direct(it.grace))).body
    await say(it, it.grace, id, 'between us')
    const shown = async (path: string) => (await it.call(it.owner, 'GET', `/conversations/${id}${path}`)).body
    const before = [await shown(''), await shown('/messages')]
    expect((await go(it, it.owner, id, group('Three', [it.alan]))).status).toBe(201)
    const channel = { kind: 'channel', title: 'Build', agent_id, client_id: 'build', member_ids: [it.alan.userId] }
    expect((await go(it, it.owner, id, channel)).status).toBe(201)
    expect([await shown(''), await shown('/messages')]).toEqual(before)
    expect((await it.call(it.alan, 'GET', `/conversations/${id}`)).status).toBe(404)
  })

  it('begins a channel with the notice of its agent alone, which does not run', async () => {
    const it = await office()
    const agent_id = await crewed(it)
    const { id } = (await open(it, it.owner, direct(it.grace))).body
    await say(it, it.grace, id, '@ada look')
    const before = it.entries().length
    const { body } = await go(it, it.owner, id, { kind: 'channel', title: 'Build', agent_id, client_id: 'c' })
    expect(body).toMatchObject({ run_id: null, source_conversation_id: id })
    const { messages } = (await it.call(it.owner, 'GET', `/conversations/${body.id}/messages`)).body
    expect(messages).toMatchObject([{ seq: 1, kind: 'notice', content: expect.stringMatching(/^Ada joined/) }])
    const written = it.entries().slice(before)
    const crew_id = (await it.call('OWNER', 'GET', `/agents/${agent_id}`)).body.crew_id
    expect(written).toEqual([expect.objectContaining({ entry_type: 'audit.entity_created', agent_id, crew_id })])
    expect(written[0]!.payload).toMatchObject({
      metadata: { kind: 'channel', is_direct: false, members: 1, source_conversation_id: id },
    })
  })

  it('takes a title of 1 and of 120 characters, 498 people and a client_id of 128 bytes, and no more', async () => {
    const it = await office()
    const { id } = (await open(it, it.owner, direct(it.grace))).body
    const people = it.app.writeNow(() => Array.from({ length: 499 }, () => addPerson(it.app, 'VIEWER', it.workspace)))
    const most = group('😀'.repeat(120), people.slice(0, 498), 'é'.repeat(64))
    const made = await go(it, it.owner, id, most)
    expect({ status: made.status, members: made.body.members?.length }).toEqual({ status: 201, members: 500 })
    expect((await go(it, it.owner, id, group('x', [it.alan]))).status).toBe(201)
    const refused = async (more: object) => {
      const { status, body } = await go(it, it.owner, id, { ...group('x', [it.alan], 'other'), ...more })
      return [status, body.field]
    }
    expect(await refused({ title: '😀'.repeat(121) })).toEqual([400, 'title'])
    expect(await refused({ title: ' \u200b ' })).toEqual([400, 'title'])
    expect(await refused({ title: 'two\nlines' })).toEqual([400, 'title'])
    expect(await refused({ title: 'bell\u0007' })).toEqual([400, 'title'])
    expect(await refused({ title: null })).toEqual([400, 'title'])
    expect(await refused({ title: 5 })).toEqual([400, 'title'])
    expect(await refused({ member_ids: people.map(({ userId }) => userId) })).toEqual([400, 'member_ids'])
    expect(await refused({ member_ids: it.alan.userId })).toEqual([400, 'member_ids'])
    expect(await refused({ member_ids: [null] })).toEqual([400, 'member_ids.0'])
    expect(await refused({ client_id: 'é'.repeat(64) + 'x' })).toEqual([400, 'client_id'])
    expect(await refused({ client_id: '' })).toEqual([400, 'client_id'])
    expect(await refused({ client_id: undefined })).toEqual([400, 'client_id'])
    expect(await refused({ kind: 'crowd' })).toEqual([400, 'kind'])
    expect(await refused({ kind: undefined })).toEqual([400, 'kind'])
    expect((await it.call('OWNER', 'GET', '/conversations')).body).toHaveLength(3)
  })

  it('makes a channel of a chat for who takes part in it; a private chat is absent', async () => {
    const it = await office()
    const agent_id = await crewed(it)
    const chat = (await it.call(it.owner, 'POST', `/agents/${agent_id}/chats`)).body.id
    const channel = { kind: 'channel', title: 'Build', agent_id, client_id: 'c' }
    const participants = `/chats/${chat}/participants`
    expect((await go(it, it.owner, chat, channel)).status).toBe(404)
    await it.call(it.owner, 'POST', participants, { user_id: it.grace.userId })
    expect(await go(it, it.owner, chat, group('Three', [it.alan]))).toMatchObject({
      status: 400,
      body: { field: 'kind' },
    })
    expect((await go(it, it.alan, chat, channel)).status).toBe(404)
    expect(await go(it, it.grace, chat, channel)).toMatchObject({
      status: 201,
      body: { source_conversation_id: chat, last_seq: 1, members: [{ user_id: it.grace.userId }] },
    })
    const shown = async () => (await it.call(it.owner, 'GET', `/agents/${agent_id}/chats`)).body[0]
    expect(await shown()).toMatchObject({ id: chat, visibility: 'group', message_count: 0 })
    await it.call(it.owner, 'DELETE', `${participants}/${it.grace.userId}`)
    expect((await go(it, it.owner, chat, channel)).status).toBe(404)
  })

  it('is one room for a repeated request of the same person about the same source', async () => {
    const it = await office()
    const pair = (await open(it, it.owner, direct(it.grace))).body.id
    const other = (await open(it, it.owner, direct(it.alan, 'other'))).body.id
    const body = group('Three', [it.alan], 'c')
    const first = await go(it, it.owner, pair, body)
    expect(first.status).toBe(201)
    const again = { ...body, title: ' Three ', member_ids: [it.alan.userId, it.owner.userId, it.alan.userId] }
    expect(await go(it, it.owner, pair, again)).toMatchObject({ status: 200, body: { id: first.body.id } })
    for (const change of [{ title: 'Four' }, { member_ids: [it.person('VIEWER').userId] }])
      expect(await go(it, it.owner, pair, { ...body, ...change })).toMatchObject({
        status: 409,
        body: { code: 'client_id_taken', field: 'client_id' },
      })
    expect((await go(it, it.grace, pair, body)).status).toBe(201)
    expect((await go(it, it.owner, other, group('Three', [it.grace], 'c'))).status).toBe(201)
  })

  it('is another request with another kind or agent, and the same one when its agent is gone', async () => {
    const it = await office()
    const pair = (await open(it, it.owner, direct(it.grace))).body.id
    const agent_id = await crewed(it)
    const second = (await it.call('OWNER', 'POST', '/agents', { name: 'Bob', slug: 'bob' })).body.id
    const channel = { kind: 'channel', title: 'Build', agent_id, client_id: 'c', member_ids: [it.alan.userId] }
    const { status, body } = await go(it, it.owner, pair, channel)
    expect(status).toBe(201)
    const taken = { status: 409, body: { code: 'client_id_taken' } }
    expect(await go(it, it.owner, pair, { ...channel, agent_id: second })).toMatchObject(taken)
    expect(await go(it, it.owner, pair, group('Build', [it.alan], 'c'))).toMatchObject(taken)
    expect((await it.call('OWNER', 'DELETE', `/agents/${agent_id}`)).status).toBe(200)
    expect(await go(it, it.owner, pair, channel)).toMatchObject({ status: 200, body: { id: body.id, agent: null } })
    expect((await it.call('OWNER', 'GET', '/conversations')).body).toHaveLength(2)
  })

  it('is one room for many requests at once, and after an invitee has left', async () => {
    const it = await office()
    const pair = (await open(it, it.owner, direct(it.grace))).body.id
    const body = group('Three', [it.alan], 'c')
    const answers = await Promise.all(Array.from({ length: 8 }, () => go(it, it.owner, pair, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1)
    await leave(it, it.alan)
    expect(await go(it, it.owner, pair, body)).toMatchObject({ status: 200, body: { id: answers[0]!.body.id } })
  })
})

async function leave(it: Office, { userId }: Person) {
  const { body } = await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)
  const { id } = body.find((member: { user_id: string }) => member.user_id === userId)
  expect((await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
}

describe('members who leave the workspace', () => {
  it('leave its rooms, which say so; a direct room is there again when they come back', async () => {
    const it = await office()
    const three = (await open(it, it.owner, group('x', [it.grace]))).body.id
    const pair = (await open(it, it.owner, direct(it.grace))).body.id
    await say(it, it.grace, three, 'Hello')
    const heard = listen(it)
    await leave(it, it.grace)
    expect(heard.filter(({ channel }) => channel === `room:${three}`).map(({ type }) => type)).toEqual([
      'room.message',
      'room.updated',
    ])
    const { members } = (await it.call(it.owner, 'GET', `/conversations/${three}`)).body
    expect(members.map(({ user_id }: { user_id: string }) => user_id)).toEqual([it.owner.userId])
    const { messages } = (await it.call(it.owner, 'GET', `/conversations/${three}/messages`)).body
    expect(messages.map((it: { author_name: string; content: string }) => [it.author_name, it.content])).toEqual([
      ['Grace Hopper', 'Hello'],
      [null, 'Grace Hopper left the workspace'],
    ])
    expect(await open(it, it.owner, direct(it.grace, 'again'))).toMatchObject({ status: 404 })
    it.app.writeNow(() =>
      it.app.db
        .prepare(
          `INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
           VALUES ('cback', ?, ?, 'MEMBER', 'x', 'x')`,
        )
        .run(it.workspace, it.grace.userId),
    )
    expect(await it.call(it.grace, 'GET', `/conversations/${pair}`)).toMatchObject({ status: 404 })
    expect(await open(it, it.grace, direct(it.owner, 'back'))).toMatchObject({ status: 200, body: { id: pair } })
    expect((await it.call(it.grace, 'GET', `/conversations/${pair}`)).body).toMatchObject({ unread_count: 0 })
  })
})
