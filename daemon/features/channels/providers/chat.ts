import {
  atMost,
  bytesAtMost,
  escaped,
  json,
  needed,
  partsOf,
  pieces,
  plain,
  quiet,
  secret,
  serverIn,
  text,
  webhookIn,
} from './parts.ts'
import { FieldFlaw, NotTaken, type Provider } from './types.ts'

const botName = text('bot_name', 'Name of the sender', { placeholder: 'Muster' })
const query = (name: string, value: string | undefined): string => (value ? `?${name}=${escaped(value)}` : '')

/** Discord shows no more of a message; longer ones are sent in parts. */
const discordMost = 2000

export const discord: Provider = {
  provider: 'discord',
  label: 'Discord',
  blurb: 'A channel of a Discord server',
  category: 'chat',
  fields: [
    secret('webhook_url', 'Webhook URL', {
      placeholder: 'https://discord.com/api/webhooks/…',
      help: 'Channel settings, Integrations, Webhooks',
      help_url: 'https://support.discord.com/hc/en-us/articles/228383668',
    }),
    botName,
  ],
  compose(fields) {
    const isDiscord = (host: string) => /^((canary|ptb)\.)?discord(app)?\.com$/.test(host)
    const example = 'https://discord.com/api/webhooks/ID/TOKEN'
    const parts = partsOf(webhookIn(fields, isDiscord, example))
    if (!parts.includes('webhooks') || parts.length < 3)
      throw new FieldFlaw('webhook_url', `webhook_url must be one of Discord, such as ${example}`)
    const [id, token] = parts.slice(-2)
    return `discord://${token}@${id}${query('username', fields['bot_name'])}`
  },
  flaw: (url) => (url.username && /^\d+$/.test(url.host) ? null : 'It must be discord://TOKEN@ID'),
  async deliver(send, url, { title, text: words }) {
    const to = `https://discord.com/api/webhooks/${url.host}/${url.username}`
    const username = url.searchParams.get('username')
    for (const [at, description] of pieces(words, discordMost).entries()) {
      const said =
        title && at === 0 ? { embeds: [{ title: atMost(title, 256), description }] } : { content: description }
      await send(json(to, { ...(username && { username }), ...said, allowed_mentions: { parse: [] } }))
    }
  },
}

/** As Slack and Telegram ask for it: `<!channel>` is then no call, and nothing is markup. */
const withEntities = (words: string) => words.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

export const slack: Provider = {
  provider: 'slack',
  label: 'Slack',
  blurb: 'A channel of a Slack workspace',
  category: 'chat',
  fields: [
    secret('webhook_url', 'Webhook URL', {
      placeholder: 'https://hooks.slack.com/services/…',
      help: 'Of an app with incoming webhooks',
      help_url: 'https://api.slack.com/messaging/webhooks',
    }),
    botName,
  ],
  compose(fields) {
    const example = 'https://hooks.slack.com/services/T…/B…/…'
    const parts = partsOf(webhookIn(fields, (host) => host === 'hooks.slack.com', example)).slice(-3)
    if (parts.length < 3 || parts.some((part) => !/^[A-Za-z0-9]+$/.test(part)))
      throw new FieldFlaw('webhook_url', `webhook_url must be one of Slack, such as ${example}`)
    return `slack://hook:${parts.join('-')}@webhook${query('botname', fields['bot_name'])}`
  },
  flaw: (url) =>
    url.host === 'webhook' && /^[A-Za-z0-9]+-[A-Za-z0-9]+-[A-Za-z0-9]+$/.test(url.password)
      ? null
      : 'It must be slack://hook:A-B-C@webhook',
  async deliver(send, url, { title, text: words }) {
    const username = url.searchParams.get('botname')
    const attachments = words
      .split('\n')
      .slice(0, 100)
      .map((line) => ({ text: withEntities(line) }))
    const body = { text: withEntities(title), ...(username && { username }), attachments }
    const answer = await send(json(`https://hooks.slack.com/services/${url.password.replaceAll('-', '/')}`, body))
    if (answer !== '' && answer !== 'ok') throw new NotTaken(answer)
  },
}

export const telegram: Provider = {
  provider: 'telegram',
  label: 'Telegram',
  blurb: 'A chat, group or channel that a bot is in',
  category: 'chat',
  fields: [
    secret('bot_token', 'Token of the bot', { placeholder: '123456:ABC…', help: 'From @BotFather' }),
    needed('chat_id', 'Chat', { placeholder: '-1001234567890', help: 'Number of the chat, or @name of a channel' }),
  ],
  compose({ bot_token, chat_id }) {
    if (!/^\d+:[\w-]+$/.test(bot_token!)) throw new FieldFlaw('bot_token', 'bot_token must be as 123456:ABC…')
    return `telegram://${bot_token}@telegram?chats=${escaped(chat_id!)}`
  },
  flaw: (url) =>
    url.username && url.password && url.searchParams.get('chats')
      ? null
      : 'It must be telegram://TOKEN@telegram?chats=CHAT',
  async deliver(send, url, { title, text: words }) {
    const to = `https://api.telegram.org/bot${url.username}:${url.password}/sendMessage`
    const head = title ? `<b>${withEntities(title)}</b>\n` : ''
    // Cut before it is escaped: half an entity is an error there.
    let body = words
    let whole = head + withEntities(body)
    for (let most = 4000; Buffer.byteLength(whole) > 4096; most -= 200) {
      body = bytesAtMost(words, most)
      whole = head + withEntities(body)
    }
    for (const chat_id of url.searchParams.get('chats')!.split(','))
      await send(json(to, { chat_id: chat_id.trim(), text: whole, parse_mode: 'HTML' }))
  },
}

export const mattermost: Provider = {
  provider: 'mattermost',
  label: 'Mattermost',
  blurb: 'A channel of a Mattermost server',
  category: 'chat',
  fields: [
    needed('server', 'Server', { placeholder: 'chat.example.com' }),
    secret('token', 'Token of the webhook', { help: 'The last part of its URL' }),
    text('channel', 'Channel', { help: 'The one of the webhook unless given' }),
  ],
  compose(fields) {
    const { token, channel } = fields
    return `mattermost://${serverIn(fields, 'server')}/${[token!, channel]
      .filter((it) => it)
      .map((it) => escaped(it!))
      .join('/')}`
  },
  flaw: (url) => (url.host && partsOf(url).length > 0 ? null : 'It must be mattermost://SERVER/TOKEN[/CHANNEL]'),
  async deliver(send, url, { title, text: words }) {
    const [token, channel] = partsOf(url)
    const said = quiet([title, words].filter(Boolean).join('\n'))
    await send(json(`https://${url.host}/hooks/${token}`, { text: said, ...(channel && { channel: plain(channel) }) }))
  },
}

export const matrix: Provider = {
  provider: 'matrix',
  label: 'Matrix',
  blurb: 'Rooms that a user of a Matrix server has joined',
  category: 'chat',
  fields: [
    needed('server', 'Server', { placeholder: 'matrix.example.com' }),
    secret('access_token', 'Access token'),
    text('rooms', 'Rooms', { placeholder: '!id:example.com, #name:example.com', help: 'All joined ones unless given' }),
  ],
  compose: (fields) =>
    `matrix://:${escaped(fields['access_token']!)}@${serverIn(fields, 'server')}${query('rooms', fields['rooms'])}`,
  flaw: (url) => (url.host && url.password ? null : 'It must be matrix://:TOKEN@SERVER[?rooms=ROOM,…]'),
  async deliver(send, url, { id, title, text: words }) {
    const base = `https://${url.host}/_matrix/client/v3`
    const headers = { authorization: `Bearer ${plain(url.password)}` }
    const named = url.searchParams
      .get('rooms')
      ?.split(',')
      .map((room) => room.trim())
      .filter(Boolean)
    const roomOf = async (room: string): Promise<string> =>
      room.startsWith('#')
        ? memberOf(await send(json(`${base}/join/${escaped(room)}`, {}, { headers })), 'room_id')
        : room
    const rooms = named?.length
      ? await Promise.all(named.map(roomOf))
      : listOf(await send({ method: 'GET', url: `${base}/joined_rooms`, headers }), 'joined_rooms')
    if (!rooms.length) throw new NotTaken('The user has joined no room')
    const body = { msgtype: 'm.text', body: [title, words].filter(Boolean).join('\n\n') }
    for (const room of rooms.slice(0, 20))
      await send(json(`${base}/rooms/${escaped(room)}/send/m.room.message/${id}`, body, { method: 'PUT', headers }))
  },
}

function parsed(answer: string): Record<string, unknown> {
  try {
    return JSON.parse(answer) as Record<string, unknown>
  } catch {
    throw new NotTaken('The answer is not JSON')
  }
}

function memberOf(answer: string, name: string): string {
  const value = parsed(answer)[name]
  if (typeof value !== 'string') throw new NotTaken(`The answer has no ${name}`)
  return value
}

function listOf(answer: string, name: string): string[] {
  const value = parsed(answer)[name]
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : []
}

const isTeams = (host: string) => /\.(logic\.azure\.com|api\.powerplatform\.com|webhook\.office\.com)$/.test(host)

export const teams: Provider = {
  provider: 'teams',
  label: 'Microsoft Teams',
  blurb: 'A channel or chat, by a workflow',
  category: 'chat',
  fields: [
    secret('webhook_url', 'URL of the workflow', {
      placeholder: 'https://….logic.azure.com/workflows/…',
      help: 'Workflows, "Post to a channel when a webhook request is received"',
    }),
  ],
  compose(fields) {
    const { href } = webhookIn(fields, isTeams, 'https://NAME.logic.azure.com/workflows/…')
    return `teams://?host=${escaped(href)}`
  },
  flaw(url) {
    const host = url.searchParams.get('host') ?? ''
    const to = URL.canParse(host) ? new URL(host) : null
    return to?.protocol === 'https:' && isTeams(to.hostname) ? null : 'It must be teams://?host=URL of a workflow'
  },
  async deliver(send, url, { title, text: words }) {
    const block = (said: string, more: object = {}) => ({ type: 'TextBlock', text: said, wrap: true, ...more })
    const lines = words
      .split('\n')
      .filter(Boolean)
      .slice(0, 100)
      .map((line) => block(line))
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.2',
      body: [...(title ? [block(title, { weight: 'bolder' })] : []), ...lines],
    }
    const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', content }]
    await send(json(url.searchParams.get('host')!, { type: 'message', attachments }, { timeoutMs: 30_000 }))
  },
}

export const googlechat: Provider = {
  provider: 'googlechat',
  label: 'Google Chat',
  blurb: 'A space of Google Chat',
  category: 'chat',
  fields: [
    secret('webhook_url', 'Webhook URL', {
      placeholder: 'https://chat.googleapis.com/v1/spaces/…',
      help: 'Of the space: Apps & integrations, Webhooks',
    }),
  ],
  compose(fields) {
    const example = 'https://chat.googleapis.com/v1/spaces/SPACE/messages?key=…&token=…'
    const { host, pathname, search } = webhookIn(fields, (it) => it === 'chat.googleapis.com', example)
    return `googlechat://${host}${pathname}${search}`
  },
  flaw: (url) =>
    url.host === 'chat.googleapis.com' && partsOf(url).length > 1 && url.searchParams.has('token')
      ? null
      : 'It must be googlechat://chat.googleapis.com/v1/spaces/SPACE/messages?key=…&token=…',
  async deliver(send, url, { title, text: words }) {
    const said = [title, words]
      .filter(Boolean)
      .join('\n\n')
      .replace(/<(?=users\/)/g, '<\u200b')
    await send(json(`https://${url.host}${url.pathname}${url.search}`, { text: bytesAtMost(said, 4096) }))
  },
}
