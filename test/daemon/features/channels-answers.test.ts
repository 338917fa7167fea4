import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { providers } from '../../../daemon/features/channels/providers/index.ts'
import { DeliveryError, sendMessage, type Target } from '../../../daemon/features/channels/sending/service.ts'
import { vendors } from '../../support/vendors.ts'

/** Of each service a URL, and the secret in it; of a webhook the secret that it is signed with. */
const services: Record<string, [url: string, secret: string]> = {
  discord: ['discord://token-of-it@123', 'token-of-it'],
  slack: ['slack://hook:AAAAAAAA-BBBBBBBB-CCCCCCCC@webhook', 'AAAAAAAA/BBBBBBBB/CCCCCCCC'],
  telegram: ['telegram://12:token-of-it@telegram?chats=7', 'token-of-it'],
  ntfy: ['ntfy://me:token-of-it@ntfy.sh/topic', 'token-of-it'],
  gotify: ['gotify://push.example.com/token-of-it', 'token-of-it'],
  pushover: ['pushover://:token-of-it@somebody', 'token-of-it'],
  mattermost: ['mattermost://chat.example.com/token-of-it', 'token-of-it'],
  matrix: ['matrix://:token-of-it@matrix.example.com?rooms=!a:example.com', 'token-of-it'],
  teams: [
    `teams://?host=${encodeURIComponent('https://a.logic.azure.com/workflows/1?sig=token-of-it')}`,
    'token-of-it',
  ],
  googlechat: ['googlechat://chat.googleapis.com/v1/spaces/S/messages?key=k&token=token-of-it', 'token-of-it'],
  opsgenie: ['opsgenie://api.opsgenie.com/token-of-it', 'token-of-it'],
  webhook: ['token-of-it', 'token-of-it'],
}
const message = {
  id: 'del_1',
  title: 'T',
  body: 'M',
  links: [],
  priority: 'low',
  webhook: { header: 'X-Svc-Category', name: 'security', body: { title: 'T' } },
} as const
const targetOf = (provider: string): Target => {
  const secret = services[provider]![0]
  return provider === 'webhook'
    ? { type: 'webhook', url: 'https://example.com/hook', address: null, provider: null, secret }
    : { type: 'shoutrrr', url: null, address: null, provider, secret }
}
/** [status, whether another attempt may succeed] */
const answers = [
  [302, false],
  [400, false],
  [401, false],
  [404, false],
  [410, false],
  [429, true],
  [500, true],
] as const

async function place(answer: (reply: ServerResponse) => void) {
  const it = await daemon()
  const { arrived } = await vendors(it, (_, reply) => answer(reply))
  const send = (target: Target, signal?: AbortSignal) =>
    sendMessage(it.app, target, message, signal && { signal }).then(
      () => null,
      (error: unknown) => error,
    )
  return { arrived, send }
}

describe('what a service answers', () => {
  it('is known of every service there is, and of webhooks', () => {
    const all = [...providers.map(({ provider }) => provider), 'webhook']
    expect(Object.keys(services).toSorted()).toEqual(all.toSorted())
  })

  it('is tried again after what may pass, and after nothing else; it tells no secret', async () => {
    let now: (typeof answers)[number] = answers[0]
    let words = ''
    const { arrived, send } = await place((reply) => {
      reply.writeHead(now[0], { 'retry-after': '90', location: 'https://127.0.0.1/private' })
      reply.end(words)
    })
    for (const [provider, [, secret]] of Object.entries(services))
      for (now of answers) {
        words = `${secret} is wrong`
        const before = arrived.length
        const error = (await send(targetOf(provider))) as DeliveryError
        expect(error, `${provider} ${now[0]}`).toBeInstanceOf(DeliveryError)
        expect([provider, now[0], error.temporary, error.retryAfterMs]).toEqual([provider, ...now, 90_000])
        expect(error.message).toContain(`answered ${now[0]}`)
        for (const part of secret.split('/')) expect(error.message).not.toContain(part)
        expect(arrived.length - before, `requests to ${provider} after ${now[0]}`).toBe(1)
      }
  })

  it('may be no answer at all, which may pass', async () => {
    const { send } = await place((reply) => void reply.destroy())
    for (const provider of Object.keys(services)) {
      const error = (await send(targetOf(provider))) as DeliveryError
      expect([provider, error instanceof DeliveryError, error.temporary]).toEqual([provider, true, true])
    }
  })

  it('is read no further than it takes to know that it is too long', async () => {
    let written = 0
    const { send } = await place((reply) => {
      const part = Buffer.alloc(64 * 1024)
      reply.writeHead(200)
      const more = () => {
        while (!reply.destroyed && written < 1_000_000_000) {
          written += part.length
          if (!reply.write(part)) return void reply.once('drain', more)
        }
      }
      more()
    })
    for (const provider of Object.keys(services)) {
      written = 0
      await send(targetOf(provider))
      expect(written, provider).toBeLessThan(20_000_000)
    }
  })
})
