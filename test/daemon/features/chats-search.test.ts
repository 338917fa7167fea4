import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { addMessage } from '../../../daemon/features/chats/messages/service.ts'
import { createFinder } from '../../../daemon/features/chats/search/find.ts'
import { counterOf, searchable } from '../../../daemon/features/chats/search/text.ts'
import { indexOlder } from '../../../daemon/features/chats/search/words.ts'
import { problem } from '../../../daemon/kernel/problem.ts'
import { agentKey } from '../../../daemon/runtime/agent-keys.ts'
import { calls, gets, init, result, says } from '../../support/claude-lines.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>
type Said = { chat: string; content: string; role?: 'user' | 'assistant'; toolSummary?: string }

/** Stores messages as runs and people do. */
const say = (it: Place, ...all: Said[]) =>
  it.app.write(() => {
    for (const { chat, content, role = 'user', toolSummary } of all)
      addMessage(it.app, {
        chatId: chat,
        agentId: it.agentId,
        runId: null,
        role,
        content,
        ...(toolSummary !== undefined && { toolSummary }),
      })
  })

const place = () => workplace() as unknown as Promise<Place>
const search = (it: Place, body: object, who: Parameters<Place['call']>[0] = 'VIEWER') =>
  it.call(who, 'POST', '/conversations/search', body)
const texts = async (it: Place, body: object) => (await search(it, body)).body.hits.map((hit: Said) => hit.content)
const named = (it: Place) => ({ 'x-workspace-id': it.workspace })
const indexed = (it: Place) => it.app.db.prepare('SELECT count(*) FROM message_words').pluck().get()

describe('chats.search', () => {
  it('answers hits with their agent and chat', async () => {
    const it = await place()
    const chat = await it.openChat()
    await say(it, { chat, content: 'The disk is full', role: 'assistant', toolSummary: 'df -h' })
    const { status, body } = await search(it, { query: 'DISK' })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        query: 'DISK',
        count: 1,
        scope: 'workspace',
        hits: [
          {
            id: expect.stringMatching(/^msg_/),
            session_id: chat,
            agent_id: it.agentId,
            agent_slug: expect.any(String),
            agent_name: expect.any(String),
            role: 'assistant',
            content: 'The disk is full',
            tool_summary: 'df -h',
            ts: '2026-01-01T00:00:00.000Z',
          },
        ],
      },
    })
  })

  it('matches one phrase, in texts and tool summaries, without regard to case and accents', async () => {
    const it = await place()
    const chat = await it.openChat()
    await say(
      it,
      { chat, content: 'Crème brûlée for two' },
      { chat, content: 'brulee, then creme' },
      { chat, content: 'done', toolSummary: 'Bash: npm run creme-brulee' },
    )
    expect(await texts(it, { query: 'creme BRULEE' })).toEqual(['Crème brûlée for two', 'done'])
    expect(await texts(it, { query: 'cre' })).toEqual([])
  })

  it('finds any part of a text in a script without spaces', async () => {
    const it = await place()
    const chat = await it.openChat()
    await say(it, { chat, content: '我们明天部署服务器' }, { chat, content: '部長は署にいる' })
    expect(await texts(it, { query: '部署' })).toEqual(['我们明天部署服务器'])
    expect(searchable('a部署b')).toBe('a 部  署 b')
  })

  it('ranks by BM25, and equals by age', async () => {
    const it = await place()
    const chat = await it.openChat()
    await say(
      it,
      { chat, content: 'cache cache cache' },
      { chat, content: 'cache one two three four five six seven eight nine ten eleven twelve' },
      { chat, content: 'cache a' },
      { chat, content: 'cache b' },
    )
    expect(await texts(it, { query: 'cache' })).toEqual([
      'cache cache cache',
      'cache b',
      'cache a',
      'cache one two three four five six seven eight nine ten eleven twelve',
    ])
  })

  it('takes 20 for a limit that is none, and 100 at most', async () => {
    const it = await place()
    const chat = await it.openChat()
    await say(it, ...Array.from({ length: 120 }, (_, at) => ({ chat, content: `word ${at}` })))
    const counts = []
    for (const limit of [undefined, 0, -1, 101, 1, 100]) {
      const { body } = await search(it, { query: 'word', ...(limit !== undefined && { limit }) })
      counts.push(body.count)
    }
    expect(counts).toEqual([20, 20, 20, 20, 1, 100])
  })

  it('searches one agent or one crew', async () => {
    const it = await place()
    const mate = await it.mate('mate')
    const [mine, other] = [await it.openChat(), await it.openChat(mate)]
    await say(it, { chat: mine, content: 'lamp one' }, { chat: other, content: 'lamp two' })
    expect((await search(it, { query: 'lamp', agent_id: mate })).body).toMatchObject({
      scope: 'agent',
      hits: [{ content: 'lamp two', agent_slug: 'mate' }],
    })
    expect((await search(it, { query: 'lamp', crew_id: it.crewId })).body).toMatchObject({ scope: 'crew', count: 2 })
    const crew = await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })
    expect((await search(it, { query: 'lamp', crew_id: crew.body.id })).body).toMatchObject({ scope: 'crew', count: 0 })
    expect((await search(it, { query: 'lamp', crew_id: crew.body.id, agent_id: mate })).body.count).toBe(0)
  })

  it('refuses what is none of the caller and what is no query', async () => {
    const it = await place()
    expect((await search(it, { query: 'x', agent_id: 'nobody' })).status).toBe(404)
    expect((await search(it, { query: 'x', crew_id: 'nobody' })).status).toBe(404)
    expect((await search(it, { query: ' \t' })).status).toBe(400)
    expect((await search(it, {})).status).toBe(400)
    expect((await search(it, { query: 'x'.repeat(1001) })).status).toBe(400)
  })

  it('finds nothing of another workspace, whose agents are absent', async () => {
    const it = await place()
    await say(it, { chat: await it.openChat(), content: 'lamp' })
    const other = it.stranger()
    expect((await search(it, { query: 'lamp' }, other)).body).toMatchObject({ scope: 'workspace', hits: [], count: 0 })
    expect((await search(it, { query: 'lamp', agent_id: it.agentId }, other)).status).toBe(404)
    expect((await search(it, { query: 'lamp', crew_id: it.crewId }, other)).status).toBe(404)
  })

  it.each([
    [{ query: null }, 'query'],
    [{ query: 5 }, 'query'],
    [{ query: ['x'] }, 'query'],
    [{ query: 'x', limit: '5' }, 'limit'],
    [{ query: 'x', limit: 1.5 }, 'limit'],
    [{ query: 'x', agent_id: 5 }, 'agent_id'],
  ])('refuses %j', async (body, field) => {
    const it = await place()
    expect(await search(it, body)).toMatchObject({ status: 400, body: { field } })
  })

  it.each([
    'alpha" OR "beta',
    'alpha NOT beta',
    'content:alpha',
    'alpha*',
    '^alpha',
    'NEAR(alpha beta)',
    '"alpha',
    'alpha" AND scope : "',
    "alpha'); DROP TABLE chats; --",
  ])('takes %s for words', async (query) => {
    const it = await place()
    const chat = await it.openChat()
    await say(it, { chat, content: 'alpha gamma' }, { chat, content: 'beta' })
    const { status, body } = await search(it, { query })
    expect({ status, count: body.count }).toEqual({
      status: 200,
      count: /^(alpha\*|\^alpha|"alpha)$/.test(query) ? 1 : 0,
    })
  })

  it.each(['!?', '""', '\0', '( )', '—', '\u0301'])('finds nothing for %j', async (query) => {
    const it = await place()
    await say(it, { chat: await it.openChat(), content: 'alpha !? "" ( ) — e\u0301' })
    expect((await search(it, { query })).body).toMatchObject({ count: 0, hits: [] })
  })

  it('forgets a chat within the change that deletes it', async () => {
    const it = await place()
    const chat = await it.openChat()
    await say(it, { chat, content: 'ephemeral' })
    expect(indexed(it)).toBe(1)
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)).status).toBe(204)
    expect([indexed(it), await texts(it, { query: 'ephemeral' })]).toEqual([0, []])
  })

  it('forgets a text that is overwritten', async () => {
    const it = await place()
    await say(it, { chat: await it.openChat(), content: 'overwritten' })
    it.app.db.exec("UPDATE chat_messages SET content = 'other'")
    expect([indexed(it), await texts(it, { query: 'overwritten' })]).toEqual([0, []])
  })

  it('leaves out agents that were deleted', async () => {
    const it = await place()
    const mate = await it.mate('mate')
    await say(it, { chat: await it.openChat(mate), content: 'farewell' })
    expect(await texts(it, { query: 'farewell' })).toEqual(['farewell'])
    expect((await it.call('OWNER', 'DELETE', `/agents/${mate}`)).status).toBe(200)
    expect(await texts(it, { query: 'farewell' })).toEqual([])
    expect((await search(it, { query: 'farewell', agent_id: mate })).status).toBe(404)
  })

  it('takes nothing of a change that fails', async () => {
    const it = await place()
    const chat = await it.openChat()
    const failing = it.app.write(() => {
      addMessage(it.app, { chatId: chat, agentId: it.agentId, runId: null, role: 'user', content: 'rolled' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(indexed(it)).toBe(0)
  })

  it('indexes messages from before the index, newest first, and says so until then', async () => {
    const it = await place()
    const chat = await it.openChat()
    await say(it, ...[1, 2, 3, 4, 5].map((at) => ({ chat, content: `old ${at}` })))
    it.app.db.exec(`DELETE FROM message_words; DELETE FROM message_numbers;
      UPDATE message_backlog SET upto = (SELECT max(rowid) FROM chat_messages)`)
    await say(it, { chat, content: 'old 6' })
    expect((await search(it, { query: 'old' })).body).toMatchObject({ missed: 'indexing', count: 1 })
    expect(await it.app.write(() => indexOlder(it.app, 2))).toBe(true)
    expect(await texts(it, { query: 'old' })).toEqual(['old 6', 'old 5', 'old 4'])
    while (await it.app.write(() => indexOlder(it.app, 2)));
    const { body } = await search(it, { query: 'old' })
    expect(body.missed).toBeUndefined()
    expect(body.hits.map((hit: Said) => hit.content)).toEqual(['old 6', 'old 5', 'old 4', 'old 3', 'old 2', 'old 1'])
  })
})

describe('a search that cannot be finished', () => {
  it('answers what it has and says so when it took too long', async () => {
    const it = await place()
    const chat = await it.openChat()
    await say(it, { chat, content: 'needle' })
    const { app, workspace, agentId } = it
    const wanted = { phrase: 'needle', scope: [workspace], agents: [agentId], below: 2 ** 41, limit: 20 }
    expect(createFinder(app.db, () => 0)(wanted)).toMatchObject({ candidates: [{ chat }], cut: false, below: null })
    let now = 0
    const found = createFinder(app.db, () => (now += 300))(wanted)
    expect(found).toMatchObject({ candidates: [], cut: true, below: expect.any(Number) })
    app.reads.run = async () => JSON.stringify({ candidates: found.candidates, below: found.below, cut: true })
    expect((await search(it, { query: 'needle' })).body).toMatchObject({ count: 0, missed: 'time' })
  })

  it('is refused with 503 when it failed, or too many are asked for', async () => {
    const it = await place()
    it.app.reads.run = async () => {
      throw Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' })
    }
    const failed = await search(it, { query: 'needle' })
    expect(failed).toMatchObject({ status: 503, body: { code: 'unavailable', detail: 'The search failed; try again' } })
    expect(failed.text).not.toContain('malformed')
    it.app.reads.run = async () => {
      throw problem('unavailable', { detail: 'Too many searches at once; try again' })
    }
    expect(await search(it, { query: 'needle' })).toMatchObject({
      status: 503,
      body: { detail: 'Too many searches at once; try again' },
    })
  })
})

describe('what a search finds', () => {
  it('is nothing of another workspace, whichever one the request names', async () => {
    const it = await place()
    await say(it, { chat: await it.openChat(), content: 'secretive' })
    const stranger = it.stranger()
    expect((await search(it, { query: 'secretive' }, stranger)).body).toMatchObject({ count: 0 })
    expect((await search(it, { query: 'secretive', agent_id: it.agentId }, stranger)).status).toBe(404)
    expect((await search(it, { query: 'secretive', crew_id: it.crewId }, stranger)).status).toBe(404)
    const foreign = await it.call(stranger, 'POST', '/conversations/search', { query: 'secretive' }, named(it))
    expect([403, 404]).toContain(foreign.status)
  })

  it('is nothing that somebody said who left, unless the chat is still there', async () => {
    const it = await place()
    await say(it, { chat: await it.openChat(), content: 'parting words' })
    const { userId } = it.person('MEMBER')
    const rows = it.app.db.prepare('UPDATE chat_messages SET author_user_id = ?').run(userId)
    expect(rows.changes).toBe(1)
    const member = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
    const { id } = (Array.isArray(member) ? member : member.members).find(
      (row: { user_id: string }) => row.user_id === userId,
    )
    expect((await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBeLessThan(300)
    expect(await texts(it, { query: 'parting words' })).toEqual(['parting words'])
    expect([401, 403, 404]).toContain((await search(it, { query: 'parting words' }, 'MEMBER')).status)
  })

  it('is a summary of the tools that were used', async () => {
    const it = await place()
    const { run_id } = await it.send(await it.openChat(), 'Count the files')
    const program = await it.runtime.program()
    it.runtime.print(program, init, calls('t1', 'Bash', { command: 'wc -l quarterly.csv' }), gets('t1', '12'))
    it.runtime.print(program, calls('t2', 'Bash', { command: 'ls' }), gets('t2', 'a'), says('Twelve.'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const { body } = await search(it, { query: 'bash X2' })
    expect(body.hits).toMatchObject([{ role: 'assistant', content: 'Twelve.', tool_summary: 'Bash x2' }])
  })

  it('is no secret that was taken out of what an agent printed', async () => {
    const it = await place()
    const { run_id } = await it.send(await it.openChat(), 'What is the key?')
    const program = await it.runtime.program()
    const key = agentKey(it.app, it.agentId)
    it.runtime.print(program, init, calls('t1', 'Bash', { command: `export KEY=${key}` }), gets('t1', key))
    it.runtime.print(program, says(`The key is ${key}, keep it.`), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(await texts(it, { query: 'keep it' })).toEqual(['The key is [redacted], keep it.'])
    expect(await texts(it, { query: key })).toEqual([])
  })
})

describe('messages from before the index', () => {
  it('are all found after a daemon died in the middle of indexing them, each once', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'muster-search-')), 'muster.db')
    const it = (await workplace({ file })) as unknown as Place
    const chat = await it.openChat()
    it.app.db.exec(`INSERT INTO chat_messages (chat_id, seq, id, agent_id, role, content, ts)
      WITH RECURSIVE old (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM old WHERE at < 2499)
      SELECT '${chat}', at, 'msg_' || at, '${it.agentId}', 'user', 'old word ' || at, '2026-01-01' FROM old;
      UPDATE message_backlog SET upto = (SELECT max(rowid) FROM chat_messages)`)
    for (let portion = 0; portion < 3; portion++) await it.app.write(() => indexOlder(it.app, 250))
    const dying = it.app.write(() => {
      indexOlder(it.app, 250)
      throw new Error('killed')
    })
    await expect(dying).rejects.toThrow('killed')
    expect(indexed(it)).toBe(750)
    const next = await daemon({ file, empty: true })
    const find = (query: string) =>
      next.call(it.person('VIEWER'), 'POST', '/conversations/search', { query, limit: 100 })
    expect((await find('word 0')).body).toMatchObject({ missed: 'indexing', count: 0 })
    expect((await find('word 2499')).body).toMatchObject({ missed: 'indexing', count: 1 })
    while (await next.app.write(() => indexOlder(next.app, 250)));
    expect(next.app.db.prepare('SELECT count(*), count(DISTINCT message_id) FROM message_numbers').raw().get()).toEqual(
      [2500, 2500],
    )
    for (const at of [0, 1749, 1750, 2499]) expect((await find(`word ${at}`)).body).toMatchObject({ count: 1 })
    const { body } = await find('old word')
    expect(body.hits.slice(0, 2).map((hit: Said) => hit.content)).toEqual(['old word 2499', 'old word 2498'])
    expect(body.missed).toBeUndefined()
  })
})

describe('a search among many messages', () => {
  it('finds each match once, the newest first, however far apart matches are', async () => {
    const it = await place()
    const [mate, rare] = [await it.mate('mate'), 'a rare phrase']
    const chats = [await it.openChat(), await it.openChat(mate)]
    const rareAt = [0, 1, 1500, 2950, 2951, 2952, 5990, 5999]
    const said = Array.from({ length: 6000 }, (_, at) => ({
      chat: chats[at % 50 === 0 ? 1 : 0]!,
      content: `${rareAt.includes(at) ? rare : 'a phrase, rare'} ${at}`,
    }))
    await say(it, ...said)
    const first = it.app.db.prepare('SELECT min(number) FROM message_numbers').pluck().get() as number
    const finder = createFinder(it.app.db, () => 0)
    const find = (phrase: string, agents: string[], scope: string[], below: number | null = null) => {
      const found = finder({ phrase, scope, agents, below, limit: 20 })
      return { ...found, at: found.candidates.map(({ number }) => number - first).sort((one, other) => other - one) }
    }
    const both = [it.agentId, mate]
    expect(find(rare, both, [it.workspace])).toMatchObject({ at: [...rareAt].reverse(), below: null, cut: false })
    expect(find(rare, both, both, first + 2951).at).toEqual([2950, 1500, 1, 0])
    expect(find(rare, [mate], [mate]).at).toEqual([2950, 1500, 0])
    const ofMate = Array.from({ length: 64 }, (_, at) => 5950 - at * 50)
    expect(find('phrase', [mate], [it.workspace]).at).toEqual(ofMate)
    const newest = find('phrase', both, [it.workspace])
    expect(newest.at).toEqual(Array.from({ length: 64 }, (_, at) => 5999 - at))
    expect(find('phrase', both, [it.workspace], newest.below).at[0]).toBe(5935)
  })
})

describe('counterOf', () => {
  it('counts a phrase as the index has it', () => {
    expect(counterOf('Rate limit')('rate-limit, RATE LIMIT; rates limit')).toBe(2)
    expect(counterOf('é')('e é E\u0301 ee')).toBe(3)
    expect(counterOf('a b')('a, b a b ab a-b a c b 𝐀a b 1a b a b1')).toBe(3)
    expect(counterOf('𝐀')('𝐀 𝐀𝐀 x𝐀 (𝐀)')).toBe(2)
    expect([counterOf('!')('a ! b'), counterOf('a')('')]).toEqual([0, 0])
  })
})
