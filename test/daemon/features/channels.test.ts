import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { providers } from '../../../daemon/features/channels/providers/index.ts'
import { mailServer } from '../../support/mail-server.ts'
import { type Arrived, vendors } from '../../support/vendors.ts'

type Who = Parameters<TestDaemon['call']>[0]
const hook = { type: 'webhook', url: 'https://example.com/hook' }
const path = '/notification-channels'
const create = (it: TestDaemon, body: object, who: Who = 'ADMIN') => it.call(who, 'POST', path, body)
const chat = (provider: string, fields: object, more: object = {}) => ({ type: 'shoutrrr', provider, fields, ...more })

/** What each service is given, and the requests that it documents for a title with a text. */
const table: [provider: string, fields: Record<string, string>, url: string, requests: Partial<Arrived>[]][] = [
  [
    'discord',
    { webhook_url: ' https://discord.com/api/webhooks/123/abc-DEF_9 ', bot_name: 'Bo & Co' },
    'discord://abc-DEF_9@123?username=Bo%20%26%20Co',
    [
      {
        method: 'POST',
        url: 'https://discord.com/api/webhooks/123/abc-DEF_9',
        body: '{"username":"Bo & Co","embeds":[{"title":"T","description":"M"}],"allowed_mentions":{"parse":[]}}',
      },
    ],
  ],
  [
    'slack',
    { webhook_url: 'https://hooks.slack.com/services/T1/B2/c3', bot_name: 'Bo' },
    'slack://hook:T1-B2-c3@webhook?botname=Bo',
    [
      {
        method: 'POST',
        url: 'https://hooks.slack.com/services/T1/B2/c3',
        body: '{"text":"T","username":"Bo","attachments":[{"text":"M"}]}',
      },
    ],
  ],
  [
    'telegram',
    { bot_token: '12:aB-c', chat_id: '@ops' },
    'telegram://12:aB-c@telegram?chats=%40ops',
    [
      {
        method: 'POST',
        url: 'https://api.telegram.org/bot12:aB-c/sendMessage',
        body: '{"chat_id":"@ops","text":"<b>T</b>\\nM","parse_mode":"HTML"}',
      },
    ],
  ],
  [
    'ntfy',
    { topic: 'my-topic', server: 'https://push.example.com/', username: 'bo', password: 'p:w' },
    'ntfy://bo:p%3Aw@push.example.com/my-topic',
    [
      {
        method: 'POST',
        url: 'https://push.example.com/my-topic',
        body: 'M',
        headers: { title: 'T', priority: '2', authorization: `Basic ${btoa('bo:p:w')}` },
      },
    ],
  ],
  [
    'gotify',
    { server: 'push.example.com', app_token: 'Ab.c' },
    'gotify://push.example.com/Ab.c',
    [
      {
        method: 'POST',
        url: 'https://push.example.com/message?token=Ab.c',
        body: '{"title":"T","message":"M","priority":0}',
      },
    ],
  ],
  [
    'pushover',
    { user_key: 'uKey1', api_token: 'aTok2' },
    'pushover://:aTok2@uKey1',
    [
      {
        method: 'POST',
        url: 'https://api.pushover.net/1/messages.json',
        body: 'user=uKey1&token=aTok2&message=M&title=T&priority=0',
      },
    ],
  ],
  [
    'mattermost',
    { server: 'http://chat.example.com', token: 'tok1', channel: 'town-square' },
    'mattermost://chat.example.com/tok1/town-square',
    [
      {
        method: 'POST',
        url: 'https://chat.example.com/hooks/tok1',
        body: '{"text":"T\\nM","channel":"town-square"}',
      },
    ],
  ],
  [
    'matrix',
    { server: 'matrix.example.com', access_token: 'syt_1', rooms: '#ops:example.com, !b:example.com' },
    'matrix://:syt_1@matrix.example.com?rooms=%23ops%3Aexample.com%2C%20!b%3Aexample.com',
    [
      { method: 'POST', url: 'https://matrix.example.com/_matrix/client/v3/join/%23ops%3Aexample.com', body: '{}' },
      ...['!a%3Aexample.com', '!b%3Aexample.com'].map((room) => ({
        method: 'PUT',
        url: `https://matrix.example.com/_matrix/client/v3/rooms/${room}/send/m.room.message/del_1`,
        body: '{"msgtype":"m.text","body":"T\\n\\nM"}',
        headers: { authorization: 'Bearer syt_1' },
      })),
    ],
  ],
  [
    'teams',
    { webhook_url: 'https://prod-1.westeurope.logic.azure.com/workflows/1?sig=x' },
    'teams://?host=https%3A%2F%2Fprod-1.westeurope.logic.azure.com%2Fworkflows%2F1%3Fsig%3Dx',
    [
      {
        method: 'POST',
        url: 'https://prod-1.westeurope.logic.azure.com/workflows/1?sig=x',
        body: JSON.stringify({
          type: 'message',
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.adaptive',
              content: {
                $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
                type: 'AdaptiveCard',
                version: '1.2',
                body: [
                  { type: 'TextBlock', text: 'T', wrap: true, weight: 'bolder' },
                  { type: 'TextBlock', text: 'M', wrap: true },
                ],
              },
            },
          ],
        }),
      },
    ],
  ],
  [
    'googlechat',
    { webhook_url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t' },
    'googlechat://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t',
    [
      {
        method: 'POST',
        url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t',
        body: '{"text":"T\\n\\nM"}',
      },
    ],
  ],
  [
    'opsgenie',
    { api_key: 'k-1', server: '' },
    'opsgenie://api.opsgenie.com/k-1',
    [
      {
        method: 'POST',
        url: 'https://api.opsgenie.com/v2/alerts',
        body: '{"message":"T","description":"M"}',
        headers: { authorization: 'GenieKey k-1' },
      },
    ],
  ],
]

/** As the services that answer with something do. */
function asVendor({ url }: Arrived, reply: ServerResponse): void {
  if (url.includes('slack')) reply.end('ok')
  else if (url.includes('/join/')) reply.end('{"room_id":"!a:example.com"}')
  else if (url.endsWith('/joined_rooms')) reply.end('{"joined_rooms":["!c:example.com"]}')
  else reply.end('{}')
}

const providerNamed = (name: string) => providers.find(({ provider }) => provider === name)!
/** What a service gets of a message. */
async function delivered(provider: string, url: string, note: object = {}) {
  const sent: { method: string; url: string; body?: string; headers?: Record<string, string> }[] = []
  await providerNamed(provider).deliver(
    async (request) => {
      sent.push({ method: 'POST', ...request })
      return request.url.endsWith('/joined_rooms') ? '{"joined_rooms":["!c:example.com"]}' : 'ok'
    },
    new URL(url),
    { id: 'del_1', title: 'T', text: 'M', priority: 'low', ...note },
  )
  return sent
}

describe('services', () => {
  it('are the eleven of the table, in its order of the registry', async () => {
    const it = await daemon()
    const { providers: listed, categories } = (await it.call('VIEWER', 'GET', '/notification-providers')).body
    expect(listed.map(({ provider, category }: Record<string, string>) => `${provider} ${category}`)).toEqual([
      'discord chat',
      'slack chat',
      'telegram chat',
      'ntfy push',
      'gotify push',
      'pushover push',
      'mattermost chat',
      'matrix chat',
      'teams chat',
      'googlechat chat',
      'opsgenie incident',
    ])
    expect(listed.every(({ provider, scheme }: Record<string, string>) => provider === scheme)).toBe(true)
    expect(categories.map(({ key }: { key: string }) => key)).toEqual(['chat', 'push', 'incident'])
    expect(listed.flatMap(({ fields }: { fields: object[] }) => fields)).toContainEqual(
      expect.objectContaining({ key: 'api_token', type: 'password', required: true, secret: true }),
    )
  })

  it.each(table)('%s: fields become a service URL, and a message the requests that it documents', async (...row) => {
    const [provider, fields, url, requests] = row
    const it = await daemon()
    const made = await create(it, chat(provider, fields))
    expect(made.body).toMatchObject({ type: 'shoutrrr', provider, secret: url, events: ['run.failed'] })
    const { arrived } = await vendors(it, asVendor)
    const target = { type: 'shoutrrr' as const, url: null, address: null, provider, secret: url }
    const { sendMessage } = await import('../../../daemon/features/channels/sending/service.ts')
    await sendMessage(it.app, target, {
      id: 'del_1',
      title: 'T',
      body: 'M',
      links: [],
      priority: 'low',
      webhook: { header: 'X-Svc-Event', name: 'x', body: {} },
    })
    expect(arrived).toMatchObject(requests)
    expect(arrived).toHaveLength(requests.length)
    const isJson = !['ntfy', 'pushover'].includes(provider)
    const media = provider === 'ntfy' ? 'text/plain; charset=utf-8' : 'application/x-www-form-urlencoded'
    expect(arrived[0]!.headers['content-type']).toBe(isJson ? 'application/json' : media)
  })

  it.each(table)('%s: its service URL alone makes the same channel', async (provider, _, shoutrrr_url) => {
    const it = await daemon()
    const made = await create(it, { type: 'shoutrrr', provider, shoutrrr_url })
    expect(made.body).toMatchObject({ provider, secret: shoutrrr_url })
    const other = await create(it, { type: 'shoutrrr', provider, shoutrrr_url: `x${shoutrrr_url}` })
    expect(other.body).toMatchObject({ status: 400, field: 'shoutrrr_url' })
    const empty = await create(it, { type: 'shoutrrr', provider, shoutrrr_url: `${provider}://` })
    expect(empty.body).toMatchObject({ status: 400, field: 'shoutrrr_url' })
  })

  it.each(table)('%s: each of its required fields is asked for', async (provider, fields) => {
    const it = await daemon()
    for (const { key } of providerNamed(provider).fields.filter(({ required }) => required)) {
      const { body } = await create(it, chat(provider, { ...fields, [key]: ' ' }))
      expect(body).toMatchObject({ status: 400, code: 'missing_field', field: `fields.${key}` })
    }
  })

  it.each([
    ['discord', { webhook_url: 'https://discord.com.evil.example/api/webhooks/1/x' }],
    ['discord', { webhook_url: 'http://discord.com/api/webhooks/1/x' }],
    ['discord', { webhook_url: 'https://discord.com/api/other/1/x' }],
    ['slack', { webhook_url: 'https://127.0.0.1/services/T/B/c' }],
    ['teams', { webhook_url: 'https://logic.azure.com.evil.example/x' }],
    ['googlechat', { webhook_url: 'https://chat.googleapis.com@evil.example/v1/spaces/A/messages?token=t' }],
    ['telegram', { bot_token: 'x/../y', chat_id: '1' }],
    ['gotify', { server: 'a b', app_token: 'x' }],
    ['ntfy', { topic: 'x', server: 'evil.example?x=' }],
    ['matrix', { server: 'x@evil.example', access_token: 'x' }],
    ['ntfy', { topic: 'x\ny' }],
  ])('%s refuses %j', async (provider, fields) => {
    const it = await daemon()
    expect((await create(it, chat(provider, fields))).body).toMatchObject({ status: 400, code: 'invalid_field' })
  })

  it('split, cut and defuse what they could not take', async () => {
    const long = 'x'.repeat(4500)
    const [url, parts] = ['discord://t@1', await delivered('discord', 'discord://t@1', { text: long })]
    expect(url && parts.map(({ body }) => JSON.parse(body!).content?.length ?? 0)).toEqual([0, 2000, 500])
    const [bare] = await delivered('discord', 'discord://t@1', { title: '' })
    expect(JSON.parse(bare!.body!)).toEqual({ content: 'M', allowed_mentions: { parse: [] } })
    const [slack] = await delivered('slack', 'slack://hook:a-b-c@webhook', { text: '<!channel> & co' })
    expect(JSON.parse(slack!.body!).attachments).toEqual([{ text: '&lt;!channel&gt; &amp; co' }])
    const [telegram] = await delivered('telegram', 'telegram://1:a@telegram?chats=1', { text: '<b>&'.repeat(2000) })
    const { text } = JSON.parse(telegram!.body!)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096)
    expect(text.replace(/&(lt|gt|amp);/g, '')).not.toMatch(/&/)
    const [mattermost] = await delivered('mattermost', 'mattermost://s/t', { text: '@all @here' })
    expect(JSON.parse(mattermost!.body!).text).not.toMatch(/@all|@here/)
    const [google] = await delivered('googlechat', 'googlechat://chat.googleapis.com/v1?token=t', {
      text: '<users/all>',
    })
    expect(JSON.parse(google!.body!).text).not.toContain('<users/all>')
    const [ntfy] = await delivered('ntfy', 'ntfy://ntfy.sh/t', { title: 'Größe', priority: 'urgent' })
    expect(ntfy!.headers).toMatchObject({ title: '=?UTF-8?B?R3LDtsOfZQ==?=', priority: '5' })
    const [opsgenie] = await delivered('opsgenie', 'opsgenie://s/k', { title: 'x'.repeat(200) })
    expect(JSON.parse(opsgenie!.body!).message).toHaveLength(130)
    const matrix = await delivered('matrix', 'matrix://:t@s')
    expect(matrix.map(({ url }) => url).at(-1)).toContain('/rooms/!c%3Aexample.com/send/')
  })

  it('are switched for the whole server by those who administer it', async () => {
    const it = await daemon()
    const set = (who: Who, provider: string) =>
      it.call(who, 'PATCH', `/notification-providers/${provider}`, { enabled: false })
    const fields = { topic: 'x' }
    const before = (await create(it, chat('ntfy', fields))).body
    expect((await set(it.stranger(), 'ntfy')).body).toMatchObject({ status: 403, code: 'insufficient_role' })
    expect((await set('ADMIN', 'nothing')).status).toBe(404)
    expect((await set('ADMIN', 'ntfy')).body).toEqual({ provider: 'ntfy', enabled: false })
    expect((await create(it, chat('ntfy', fields))).body).toMatchObject({ status: 400, field: 'provider' })
    await vendors(it)
    expect((await it.call('ADMIN', 'POST', `${path}/${before.id}/test`)).status).toBe(200)
  })
})

describe('a service that is switched off', () => {
  it('is listed so and takes no new channel nor draft; the channels to it stay, and work', async () => {
    const it = await daemon()
    const { arrived } = await vendors(it)
    const set = (body: object, provider = 'ntfy') =>
      it.call('ADMIN', 'PATCH', `/notification-providers/${provider}`, body)
    const ntfy = chat('ntfy', { topic: 'x' })
    const { id } = (await create(it, ntfy)).body
    const shown = async () =>
      ((await it.call('VIEWER', 'GET', '/notification-providers')).body.providers as Record<string, unknown>[])
        .filter(({ enabled }) => !enabled)
        .map(({ provider }) => provider)
    expect(await shown()).toEqual([])
    expect((await set({ enabled: 'no' })).body).toMatchObject({ status: 400, field: 'enabled' })
    expect((await set({})).body).toMatchObject({ status: 400, field: 'enabled' })
    expect(await set({ enabled: false })).toMatchObject({ status: 200, body: { provider: 'ntfy', enabled: false } })
    expect(await shown()).toEqual(['ntfy'])
    const refused = { status: 400, body: { field: 'provider' } }
    expect(await create(it, ntfy)).toMatchObject(refused)
    expect(await it.call('MEMBER', 'POST', `${path}/test`, ntfy)).toMatchObject(refused)
    expect((await it.call('ADMIN', 'GET', path)).body.channels).toMatchObject([{ id, enabled: true }])
    expect((await it.call('ADMIN', 'PATCH', `${path}/${id}`, { min_priority: 'high' })).status).toBe(200)
    expect((await it.call('ADMIN', 'POST', `${path}/${id}/test`)).status).toBe(200)
    expect(arrived).toHaveLength(1)
    expect((await set({ enabled: true })).body).toEqual({ provider: 'ntfy', enabled: true })
    expect((await create(it, ntfy)).status).toBe(201)
  })
})

describe('a channel', () => {
  it('is listed for the workspace without its secret, which is stored sealed', async () => {
    const it = await daemon()
    const { status, body } = await create(it, { ...hook, secret: 'a-known-secret', events: ['all'] })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^nch_[0-9a-f]{16}$/),
        workspace_id: it.workspace,
        slug: 'webhook',
        ...hook,
        events: ['run.completed', 'run.failed'],
        enabled: true,
        created_by: it.person('ADMIN').userId,
        created_at: it.app.now(),
        scope: 'workspace',
        min_priority: 'low',
        secret: 'a-known-secret',
      },
    })
    const { secret, ...shown } = body
    expect((await it.call('VIEWER', 'GET', path)).body).toEqual({ channels: [shown] })
    expect(JSON.stringify(it.app.db.prepare('SELECT * FROM notification_channels').all())).not.toContain(secret)
    expect(JSON.stringify(it.entries())).not.toMatch(/a-known-secret|example\.com\/hook/)
    expect((await create(it, hook)).body.secret).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is made for the workspace by those who manage it, and by anyone for themselves', async () => {
    const it = await daemon()
    expect((await create(it, hook, 'MANAGER')).body).toMatchObject({ status: 403, code: 'insufficient_role' })
    const own = (await create(it, { ...hook, personal: true, owner_user_id: 'somebody' }, 'VIEWER')).body
    expect(own).toMatchObject({ scope: 'user', owner_user_id: it.person('VIEWER').userId })
    expect((await it.call('OWNER', 'GET', path)).body.channels).toEqual([])
    expect((await it.call('OWNER', 'GET', `${path}?scope=all`)).body.channels).toMatchObject([{ id: own.id, url: '' }])
    expect((await it.call('MEMBER', 'GET', `${path}?scope=all`)).body.channels).toEqual([])
    for (const [method, end, body] of [
      ['PATCH', '', { enabled: false }],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/agents'],
      ['POST', '/agents', { agent_id: 'x' }],
    ] as const)
      expect((await it.call('OWNER', method, `${path}/${own.id}${end}`, body)).body).toMatchObject({ status: 403 })
    expect((await it.call('VIEWER', 'DELETE', `${path}/${own.id}`)).body).toEqual({ deleted: own.id })
    expect((await it.call('VIEWER', 'DELETE', `${path}/${own.id}`)).status).toBe(404)
  })

  it.each([
    [{ type: 'pigeon' }, 'type'],
    [{ type: 'webhook' }, 'url'],
    [{ type: 'webhook', url: 'ftp://example.com' }, 'url'],
    [{ type: 'webhook', url: 'http://example.com' }, 'url'],
    [{ type: 'webhook', url: 'https://a:b@example.com' }, 'url'],
    [{ type: 'webhook', url: 'nowhere' }, 'url'],
    [{ type: 'email' }, 'to'],
    [{ type: 'email', to: 'nobody' }, 'to'],
    [{ type: 'email', to: 'ada@example.com' }, 'type'],
    [{ type: 'shoutrrr' }, 'provider'],
    [{ type: 'shoutrrr', provider: 'pigeon' }, 'provider'],
    [{ type: 'shoutrrr', provider: 'ntfy' }, 'fields'],
    [{ ...hook, events: ['sometimes'] }, 'events'],
    [{ ...hook, categories: ['weather'] }, 'categories'],
    [{ ...hook, min_priority: 'none' }, 'min_priority'],
  ])('refuses %j', async (body, field) => {
    const it = await daemon()
    expect((await create(it, body)).body).toMatchObject({ status: 400, field })
  })

  it('changes what is given, and nothing else', async () => {
    const it = await daemon()
    const { id } = (await create(it, { ...hook, categories: ['security'], min_priority: 'high' })).body
    const change = (body: object) => it.call('ADMIN', 'PATCH', `${path}/${id}`, body)
    expect((await change({})).body).toMatchObject({ status: 400, code: 'no_fields' })
    expect((await change({ enabled: false })).body).toEqual({ updated: id })
    const [row] = (await it.call('ADMIN', 'GET', path)).body.channels
    expect(row).toMatchObject({ enabled: false, categories: ['security'], min_priority: 'high' })
    expect((await change({ categories: [], events: ['*'] })).status).toBe(200)
    const [after] = (await it.call('ADMIN', 'GET', path)).body.channels
    expect(after).toMatchObject({ enabled: false, events: ['run.completed', 'run.failed'] })
    expect(after).not.toHaveProperty('categories')
  })

  it('is of the workspace, works, and hears of all categories and of failures, unless told otherwise', async () => {
    const it = await daemon()
    const { body } = await create(it, hook)
    const told = { scope: 'workspace', enabled: true, events: ['run.failed'], min_priority: 'low' }
    expect(body).toMatchObject(told)
    for (const name of ['categories', 'owner_user_id', 'provider']) expect(body).not.toHaveProperty(name)
    expect((await create(it, { ...hook, categories: null, personal: false }, 'OWNER')).body).toMatchObject(told)
  })

  it('is listed to those whom it reaches; scope=all shows an ADMIN all, the addresses of others left out', async () => {
    const it = await daemon({
      config: { smtpUrl: 'smtp://127.0.0.1:1', mailerFrom: 'Muster <muster@example.com>' },
    })
    const shared = (await create(it, hook)).body
    const mail = (await create(it, { type: 'email', to: 'vi@example.com', personal: true }, 'VIEWER')).body
    const push = (await create(it, chat('ntfy', { topic: 'secret-topic' }, { personal: true }), 'MEMBER')).body
    const own = (await create(it, { ...hook, personal: true })).body
    const seen = async (who: Who, query = '') => {
      const { status, body } = await it.call(who, 'GET', `${path}${query}`)
      expect(status).toBe(200)
      return body.channels as Record<string, unknown>[]
    }
    const ids = async (who: Who, query?: string) => (await seen(who, query)).map(({ id }) => id)
    expect(await ids('ADMIN')).toEqual([own.id, shared.id])
    expect(await ids('VIEWER')).toEqual([mail.id, shared.id])
    expect(await ids('VIEWER', '?scope=all')).toEqual([mail.id, shared.id])
    expect(await ids('MANAGER', '?scope=all')).toEqual([shared.id])
    expect(await ids('ADMIN', '?scope=mine')).toEqual([own.id, shared.id])
    const all = await seen('ADMIN', '?scope=all')
    expect(all).toMatchObject([
      { id: own.id, url: hook.url },
      { id: push.id, scope: 'user', owner_user_id: it.person('MEMBER').userId, provider: 'ntfy' },
      { id: mail.id, scope: 'user', owner_user_id: it.person('VIEWER').userId, to: '' },
      { id: shared.id, url: hook.url },
    ])
    expect(JSON.stringify(all)).not.toMatch(/secret-topic|vi@example/)
    expect((await seen('VIEWER'))[0]).toMatchObject({ to: 'vi@example.com' })
  })

  it('answers a change, a test and a deletion with its id, and is absent from then on', async () => {
    const it = await daemon()
    const { arrived } = await vendors(it)
    const { id } = (await create(it, hook)).body
    const ask = async (method: string, end = '', body?: object, who: Who = 'ADMIN') => {
      const answered = await it.call(who, method as 'POST', `${path}/${id}${end}`, body)
      return { status: answered.status, body: answered.body }
    }
    for (const [method, end] of [
      ['PATCH', ''],
      ['POST', '/test'],
      ['DELETE', ''],
    ] as const)
      expect(await ask(method, end, method === 'PATCH' ? { enabled: true } : undefined, 'MANAGER')).toMatchObject({
        status: 403,
        body: { code: 'insufficient_role' },
      })
    expect(await ask('PATCH', '', { min_priority: 'high' })).toEqual({ status: 200, body: { updated: id } })
    for (const [body, field] of [
      [{ enabled: 'no' }, 'enabled'],
      [{ min_priority: 'none' }, 'min_priority'],
      [{ events: ['sometimes'] }, 'events'],
      [{ categories: ['weather'] }, 'categories'],
    ] as const)
      expect(await ask('PATCH', '', body)).toMatchObject({ status: 400, body: { field } })
    expect((await it.call('ADMIN', 'GET', path)).body.channels).toMatchObject([{ enabled: true, min_priority: 'high' }])
    expect(await ask('POST', '/test')).toEqual({ status: 200, body: { ok: true, channel_id: id } })
    expect(arrived).toHaveLength(1)
    expect(await ask('DELETE')).toEqual({ status: 200, body: { deleted: id } })
    for (const [method, end, body] of [
      ['PATCH', '', { enabled: true }],
      ['POST', '/test'],
      ['DELETE', ''],
    ] as const)
      expect(await ask(method, end, body)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(arrived).toHaveLength(1)
  })

  it('lets an agent send once somebody allows it, and no longer when it is denied', async () => {
    const it = await daemon()
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
    const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Bo', slug: 'bo', crew_id: crew.id })).body
    const { id } = (await create(it, hook)).body
    const agents = async () => (await it.call('VIEWER', 'GET', `${path}/${id}/agents`)).body.agents
    expect(await agents()).toEqual([])
    for (let round = 0; round < 2; round++)
      expect((await it.call('ADMIN', 'POST', `${path}/${id}/agents`, { agent_id: agent.id })).body).toEqual({
        channel_id: id,
        agent_id: agent.id,
        allowed: true,
      })
    expect(await agents()).toMatchObject([{ channel_id: id, agent_id: agent.id, agent_slug: 'bo' }])
    const of = (await it.call('VIEWER', 'GET', `/agents/${agent.id}/notification-channels`)).body
    expect(of).toEqual({ channels: [{ id, type: 'webhook', enabled: true }] })
    expect(JSON.stringify([of, await agents()])).not.toContain('example.com')
    expect((await it.call('MEMBER', 'POST', `${path}/${id}/agents`, { agent_id: agent.id })).status).toBe(403)
    const deny = () => it.call('ADMIN', 'DELETE', `${path}/${id}/agents/${agent.id}`)
    expect((await deny()).body).toEqual({ channel_id: id, agent_id: agent.id, allowed: false })
    expect((await deny()).status).toBe(404)
    expect(await agents()).toEqual([])
  })
})

describe('a test', () => {
  const draft = (it: TestDaemon, body: object) => it.call('MEMBER', 'POST', `${path}/test`, body)

  it('of a webhook is signed over the body, which names delivery and time', async () => {
    const it = await daemon()
    const { arrived } = await vendors(it)
    const { id, secret } = (await create(it, hook)).body
    expect((await it.call('ADMIN', 'POST', `${path}/${id}/test`)).body).toEqual({ ok: true, channel_id: id })
    const [{ method, url, headers, body } = { method: '', url: '', headers: {}, body: '' }] = arrived
    expect({ method, url }).toEqual({ method: 'POST', url: hook.url })
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const delivery = String(headers['x-svc-delivery'])
    const stamp = String(Date.parse(it.app.now()) / 1000)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'svc-notify/1',
      'x-svc-signature': `sha256=${signature}`,
      'x-svc-event': 'run.completed',
      'x-svc-timestamp': stamp,
    })
    expect(delivery).toMatch(/^del_[0-9a-f]{16}$/)
    expect(JSON.parse(body)).toEqual({
      event: 'run.completed',
      run_id: 'test',
      routine: 'test-notification',
      status: 'completed',
      delivery_id: delivery,
      timestamp: Number(stamp),
    })
  })

  it('of a draft stores nothing, and says why it failed without saying a secret', async () => {
    const it = await daemon()
    let [status, text] = [200, '']
    await vendors(it, ({ url }, reply) => {
      reply.statusCode = status
      reply.end(text.replace('URL', url))
    })
    const fields = { bot_token: '12345:secret-token', chat_id: '1' }
    expect((await draft(it, chat('telegram', fields))).body).toEqual({ ok: true })
    for (const [answer, words] of [
      [400, 'chat not found'],
      [401, 'no such bot: URL'],
      [404, ''],
      [410, ''],
      [429, ''],
      [500, ''],
      [307, ''],
    ] as const) {
      ;[status, text] = [answer, words]
      const { body } = await draft(it, chat('telegram', fields))
      expect(body).toMatchObject({ status: 502, code: 'delivery_failed' })
      expect(body.detail).toContain(`api.telegram.org answered ${answer}`)
      expect(JSON.stringify(body)).not.toContain('secret-token')
    }
    ;[status, text] = [200, 'x'.repeat(70_000)]
    expect((await draft(it, chat('telegram', fields))).body).toMatchObject({ code: 'delivery_failed' })
    ;[status, text] = [200, 'invalid_payload']
    const slack = chat('slack', { webhook_url: 'https://hooks.slack.com/services/T1/B2/c3' })
    expect((await draft(it, slack)).body).toMatchObject({ status: 502, detail: 'invalid_payload' })
    expect((await it.call('ADMIN', 'GET', path)).body.channels).toEqual([])
  })

  it('reaches no server on this machine or in its network', async () => {
    const it = await daemon()
    for (const url of ['https://127.0.0.1/', 'https://10.0.0.1/', 'https://169.254.169.254/', 'https://[::1]/'])
      expect((await draft(it, { type: 'webhook', url })).body).toMatchObject({
        status: 502,
        code: 'delivery_failed',
        detail: expect.stringContaining('does not lead to a public address'),
      })
    const ntfy = chat('ntfy', { topic: 'x', server: '192.168.1.1' })
    expect((await draft(it, ntfy)).body).toMatchObject({ status: 502, code: 'delivery_failed' })
  })

  it('of mail arrives as text and HTML, and fails where there is nothing to send it with', async () => {
    const mail = await mailServer()
    const it = await daemon({
      config: { smtpUrl: `smtp://127.0.0.1:${mail.port}`, mailerFrom: 'Muster <muster@example.com>' },
    })
    const { id } = (await create(it, { type: 'email', to: 'ada@example.com' })).body
    expect((await it.call('ADMIN', 'POST', `${path}/${id}/test`)).status).toBe(200)
    const [letter] = await mail.until(1)
    expect(letter).toMatchObject({ to: ['ada@example.com'] })
    expect(letter!.headers['subject']).toBe('[muster] routine test-notification completed')
    expect(letter!.text).toContain('This is a test of a channel.')
    expect(letter!.html).toContain('This is a test of a channel.')
    const bare = await daemon()
    expect((await draft(bare, { type: 'email', to: 'ada@example.com' })).body).toMatchObject({ status: 502 })
  })

  it('is made ten times a minute by one person', async () => {
    const it = await daemon()
    await vendors(it)
    const statuses: number[] = []
    for (let round = 0; round < 11; round++) statuses.push((await draft(it, hook)).status)
    expect(statuses).toEqual([...Array(10).fill(200), 429])
  })
})
