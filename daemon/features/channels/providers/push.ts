import { atMost, bytesAtMost, escaped, json, needed, partsOf, plain, secret, serverIn, text } from './parts.ts'
import type { Note, Provider } from './types.ts'

/** A header holds plain characters alone; ntfy reads others from an encoded word. */
const headerOf = (words: string): string =>
  /^[\x20-\x7e]*$/.test(words) ? words : `=?UTF-8?B?${Buffer.from(words).toString('base64')}?=`

const ntfyPriorities: Record<Note['priority'], string> = { low: '2', medium: '3', high: '4', urgent: '5' }

export const ntfy: Provider = {
  provider: 'ntfy',
  label: 'ntfy',
  blurb: 'Push notices to phones and desktops',
  category: 'push',
  fields: [
    needed('topic', 'Topic', { placeholder: 'muster-7f3k', help: 'Whoever knows its name can read it' }),
    text('server', 'Server', { placeholder: 'ntfy.sh' }),
    text('username', 'User name'),
    secret('password', 'Password', { required: false }),
  ],
  compose(fields) {
    const { username, password, topic } = fields
    const user = username ? `${escaped(username)}${password ? `:${escaped(password)}` : ''}@` : ''
    return `ntfy://${user}${serverIn(fields, 'server', 'ntfy.sh')}/${escaped(topic!)}`
  },
  flaw: (url) => (url.host && partsOf(url).length > 0 ? null : 'It must be ntfy://[USER:PASSWORD@]SERVER/TOPIC'),
  async deliver(send, url, { title, text: words, priority }) {
    const user = `${plain(url.username)}:${plain(url.password)}`
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      ...(title && { title: headerOf(title) }),
      priority: ntfyPriorities[priority],
      ...(url.username && { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
    }
    await send({ url: `https://${url.host}${url.pathname}`, headers, body: bytesAtMost(words, 4096) })
  },
}

export const gotify: Provider = {
  provider: 'gotify',
  label: 'Gotify',
  blurb: 'Push notices from a server of your own',
  category: 'push',
  fields: [
    needed('server', 'Server', { placeholder: 'push.example.com' }),
    secret('app_token', 'Token of the application'),
  ],
  compose: (fields) => `gotify://${serverIn(fields, 'server', '', true)}/${escaped(fields['app_token']!)}`,
  flaw: (url) => (url.host && partsOf(url).length > 0 ? null : 'It must be gotify://SERVER/TOKEN'),
  async deliver(send, url, { title, text: words }) {
    const parts = partsOf(url)
    const path = parts.slice(0, -1).map((part) => `/${part}`)
    const to = `https://${url.host}${path.join('')}/message?token=${parts.at(-1)}`
    await send(json(to, { title, message: words, priority: 0 }))
  },
}

export const pushover: Provider = {
  provider: 'pushover',
  label: 'Pushover',
  blurb: 'Push notices to phones and desktops',
  category: 'push',
  fields: [secret('user_key', 'Key of the user or group'), secret('api_token', 'Token of the application')],
  compose: ({ user_key, api_token }) => `pushover://:${escaped(api_token!)}@${escaped(user_key!)}`,
  flaw: (url) => (url.host && url.password ? null : 'It must be pushover://:API-TOKEN@USER-KEY'),
  async deliver(send, url, { title, text: words }) {
    const body = new URLSearchParams({
      user: plain(url.host),
      token: plain(url.password),
      message: atMost(words, 1024),
      title: atMost(title, 250),
      priority: '0',
    }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await send({ url: 'https://api.pushover.net/1/messages.json', headers, body })
  },
}

export const opsgenie: Provider = {
  provider: 'opsgenie',
  label: 'Opsgenie',
  blurb: 'Alerts for those who are on call',
  category: 'incident',
  fields: [
    secret('api_key', 'API key'),
    text('server', 'Server', { placeholder: 'api.opsgenie.com', help: 'api.eu.opsgenie.com in Europe' }),
  ],
  compose: (fields) => `opsgenie://${serverIn(fields, 'server', 'api.opsgenie.com')}/${escaped(fields['api_key']!)}`,
  flaw: (url) => (url.host && partsOf(url).length > 0 ? null : 'It must be opsgenie://SERVER/KEY'),
  async deliver(send, url, { title, text: words }) {
    const headers = { authorization: `GenieKey ${plain(partsOf(url)[0]!)}` }
    const body = { message: atMost(title, 130), description: atMost(words, 15_000) }
    await send(json(`https://${url.host}/v2/alerts`, body, { headers }))
  },
}
