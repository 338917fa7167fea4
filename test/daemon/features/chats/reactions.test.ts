import { describe, expect, it } from 'vitest'
import { addMessage } from '../../../../daemon/features/chats/messages/service.ts'
import { isEmoji } from '../../../../daemon/features/chats/reactions/rules.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../../support/runs.ts'

describe('what an emoji is', () => {
  it.each([
    '👍',
    '❤️',
    '❤',
    '👍🏽',
    '👩‍💻',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
    '🇨🇿',
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '1️⃣',
    '🎉'.repeat(8),
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'.repeat(8),
    '\u{1f469}\u{1f3fd}\u200d\u2764\ufe0f\u200d\u{1f48b}\u200d\u{1f468}\u{1f3ff}',
  ])('%s is', (text) => expect(isEmoji(text)).toBe(true))
  it.each(['', '1', '#', 'ok', '👍 ', ':+1:', '👍a', '🎉'.repeat(9), '\u200d', '\ufe0f', '🏽‍', '👍\n'])(
    '%j is not',
    (text) => expect(isEmoji(text)).toBe(false),
  )
})

async function place() {
  const it = await workplace()
  const chat = await it.openChat()
  const message = say(it, chat)
  return { it, chat, message, path: `/chats/${chat}/messages/${message}/reactions` }
}

const say = (it: Workplace<FakeRuntime>, chatId: string) =>
  it.app.writeNow(() => addMessage(it.app, { chatId, agentId: it.agentId, runId: null, role: 'user', content: 'Hi' }))
    .id

describe('reactions', () => {
  it('are counted, the most frequent first, and then by emoji', async () => {
    const { it, chat, message, path } = await place()
    const heard: unknown[] = []
    it.app.bus.on('broadcast', ({ channel, type, payload }) => heard.push({ channel, type, payload }))
    for (const [who, emoji] of [
      ['MEMBER', '🎉'],
      ['OWNER', '👍'],
      ['VIEWER', '👍'],
      ['OWNER', '👍'],
      ['VIEWER', '❤️'],
    ] as const)
      expect(await it.call(who, 'POST', path, { emoji })).toMatchObject({ status: 204, text: '' })
    expect((await it.call('OWNER', 'GET', path)).body).toEqual({
      reactions: [
        { emoji: '👍', count: 2, mine: true },
        { emoji: '❤️', count: 1, mine: false },
        { emoji: '🎉', count: 1, mine: false },
      ],
    })
    expect(heard).toHaveLength(4)
    expect(heard[0]).toEqual({
      channel: `session:${chat}`,
      type: 'reaction_added',
      payload: { chat_id: chat, message_id: message, emoji: '🎉', user_id: it.person('MEMBER').userId },
    })
  })

  it('are taken back by whoever gave them, again and again', async () => {
    const { it, chat, message, path } = await place()
    await it.call('OWNER', 'POST', path, { emoji: '👍🏽' })
    const heard: unknown[] = []
    it.app.bus.on('broadcast', (said) => heard.push(said))
    const one = `${path}/${encodeURIComponent('👍🏽')}`
    expect((await it.call('MEMBER', 'DELETE', one)).status).toBe(204)
    const left = (await it.call('MEMBER', 'GET', path)).body.reactions
    expect(left).toEqual([{ emoji: '👍🏽', count: 1, mine: false }])
    expect((await it.call('OWNER', 'DELETE', one)).status).toBe(204)
    expect((await it.call('OWNER', 'DELETE', one)).status).toBe(204)
    expect((await it.call('OWNER', 'GET', path)).body).toEqual({ reactions: [] })
    expect(heard).toEqual([
      {
        channel: `session:${chat}`,
        type: 'reaction_removed',
        payload: { chat_id: chat, message_id: message, emoji: '👍🏽', user_id: it.person('OWNER').userId },
      },
    ])
  })

  it('stand beside their message', async () => {
    const { it, chat, message, path } = await place()
    say(it, chat)
    await it.call('MEMBER', 'POST', path, { emoji: '🎉' })
    const { messages } = (await it.call('MEMBER', 'GET', `/chats/${chat}/messages`)).body
    expect(messages).toMatchObject([{ id: message, reactions: [{ emoji: '🎉', count: 1, mine: true }] }, {}])
    expect(messages[1]).not.toHaveProperty('reactions')
  })

  it('are refused when they are no emoji, too many, or to no message of the chat', async () => {
    const { it, path } = await place()
    const other = say(it, await it.openChat())
    const refused = { status: 400, body: { code: 'invalid_field', field: 'emoji' } }
    expect(await it.call('OWNER', 'POST', path, { emoji: '7' })).toMatchObject(refused)
    expect((await it.call('OWNER', 'POST', path)).status).toBe(400)
    const faces = Array.from({ length: 50 }, (_, at) => String.fromCodePoint(0x1f600 + at))
    for (const emoji of faces) expect((await it.call('OWNER', 'POST', path, { emoji })).status).toBe(204)
    expect(await it.call('OWNER', 'POST', path, { emoji: '👍' })).toMatchObject(refused)
    expect((await it.call('MEMBER', 'POST', path, { emoji: '👍' })).status).toBe(204)
    const elsewhere = path.replace(/msg_[^/]*/, other)
    expect((await it.call('OWNER', 'POST', elsewhere, { emoji: '👍' })).status).toBe(404)
    expect((await it.call(it.stranger(), 'POST', path, { emoji: '👍' })).status).toBe(404)
    expect((await it.call(it.stranger(), 'GET', path)).status).toBe(404)
  })

  it.each([
    '👍🏽'.repeat(8),
    '\u{1f469}\u{1f3fd}\u200d\u2764\ufe0f\u200d\u{1f48b}\u200d\u{1f468}\u{1f3ff}'.repeat(2),
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'.repeat(8),
  ])('are taken back however long their emoji are spelled: %s', async (emoji) => {
    const { it, path } = await place()
    expect((await it.call('OWNER', 'POST', path, { emoji })).status).toBe(204)
    expect((await it.call('OWNER', 'DELETE', `${path}/${encodeURIComponent(emoji)}`)).status).toBe(204)
    expect((await it.call('OWNER', 'GET', path)).body).toEqual({ reactions: [] })
  })

  it('are refused with an empty body or another type than text', async () => {
    const { it, path } = await place()
    for (const body of [{}, { emoji: '' }, { emoji: null }, { emoji: 5 }, { emoji: ['👍'] }])
      expect(await it.call('OWNER', 'POST', path, body)).toMatchObject({ status: 400, body: { field: 'emoji' } })
    expect((await it.call('OWNER', 'GET', path)).body).toEqual({ reactions: [] })
  })

  it('belong to the workspace of the chat, whatever workspace the request names', async () => {
    const { it, path } = await place()
    const named = (workspace: string) => ({ 'x-workspace-id': workspace })
    const elsewhere = it.stranger()
    expect((await it.call('MEMBER', 'POST', path, { emoji: '👍' }, named('cnone'))).status).toBe(204)
    expect((await it.call('MEMBER', 'GET', path, undefined, named(elsewhere.workspace))).body.reactions).toHaveLength(1)
    const one = `${path}/${encodeURIComponent('👍')}`
    for (const [method, where, body] of [
      ['GET', path],
      ['POST', path, { emoji: '👍' }],
      ['DELETE', one],
    ] as const) {
      expect((await it.call(elsewhere, method, where, body, named(it.workspace))).status, method).toBe(404)
      const unknown = where.replace(/^\/chats\/[^/]*/, '/chats/none')
      expect((await it.call('OWNER', method, unknown, body)).status, method).toBe(404)
    }
    expect((await it.call('MEMBER', 'DELETE', one, undefined, named('cnone'))).status).toBe(204)
    expect((await it.call('MEMBER', 'DELETE', `${path}/none`)).status).toBe(204)
    expect((await it.call('OWNER', 'GET', path)).body).toEqual({ reactions: [] })
  })

  it('go with their chat', async () => {
    const { it, chat, path } = await place()
    await it.call('OWNER', 'POST', path, { emoji: '👍' })
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)).status).toBe(204)
    expect(it.app.db.prepare('SELECT count(*) FROM message_reactions').pluck().get()).toBe(0)
  })
})
