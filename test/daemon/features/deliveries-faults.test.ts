import { describe, expect, it } from 'vitest'
import { fact } from '#contract/entries'
import { daemon } from '#test'
import { providers } from '../../../daemon/features/channels/providers/index.ts'
import { sendMessage, type Target } from '../../../daemon/features/channels/sending/service.ts'
import { deliverDue } from '../../../daemon/features/deliveries/jobs.ts'
import { closing } from '../../support/index.ts'
import { vendors } from '../../support/vendors.ts'

/** A daemon whose ADMIN wants comments and assignments through one channel. */
async function place(channel: object = { type: 'webhook', url: 'https://example.com/hook' }) {
  const it = await daemon()
  const servers = await vendors(it)
  const made = await it.call('ADMIN', 'POST', '/notification-channels', channel)
  expect(made.status, made.text).toBe(201)
  const channel_id = made.body.id as string
  const categories = ['issues.assigned', 'issues.comment']
  const cells = categories.map((category) => ({ category, channel_id, state: 'immediate' }))
  await it.call('ADMIN', 'PUT', '/me/notification-prefs', { cells })
  const admin = it.person('ADMIN').userId
  const start = () => closing(deliverDue(it.app))
  /** As it is recorded when somebody gives the ADMIN an issue. */
  const assign = (n: number, title = 'Fix it') => {
    const issue = { identifier: `WEB-${n}`, title, mission_type: 'issue' as const }
    const payload = { ...issue, assignee_type: 'user', assignee_id: admin, assignee_name: 'Ann' }
    const about = { workspace_id: it.workspace, mission_id: `cissue${n}`, actor_type: 'orchestrator' } as const
    it.app.journal(fact('mission.assigned', payload, about))
  }
  const template = async (words: object) =>
    expect(
      (await it.call('ADMIN', 'PUT', '/notification-templates', { category: 'issues.assigned', ...words })).status,
    ).toBe(200)
  const counts = () =>
    Object.fromEntries(
      it.app.db
        .prepare<[], { status: string; n: number }>(
          'SELECT status, count(*) AS n FROM notification_deliveries GROUP BY status',
        )
        .all()
        .map(({ status, n }) => [status, n]),
    )
  return { ...it, ...servers, start, assign, template, counts, channel_id }
}

describe('a flood of messages', () => {
  it('of 10,000 in a second to one person is 20, and one that says how many were held', {
    timeout: 120_000,
  }, async () => {
    const it = await place()
    it.start()
    for (let n = 0; n < 10_000; n += 500)
      it.app.writeNow(() => {
        for (let at = n; at < n + 500; at++) it.assign(at)
      })
    await it.until(20)
    await expect.poll(it.counts, { interval: 20 }).toEqual({ sent: 20, dropped_rate: 9980, pending: 1 })
    it.clock.advance(600_000)
    it.app.bus.emit('deliver', 0)
    await expect.poll(it.counts, { interval: 20 }).toEqual({ sent: 21, dropped_rate: 9980 })
    expect(JSON.parse(it.arrived.at(-1)!.body).title).toBe('9980 more of issues.assigned were held back')
    expect(it.arrived).toHaveLength(21)
  })
})

describe('a template', () => {
  it('that would render ten megabytes makes a message of the usual size', async () => {
    const it = await place()
    it.start()
    await it.template({ category: 'issues.comment', body: '{{source.body}}'.repeat(266) })
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id
    const issue = (await it.call('ADMIN', 'POST', `/crews/${crew}/issues`, { title: 'Fix it' })).body.identifier
    const comment = { body: 'ä'.repeat(20_000) }
    expect((await it.call('MEMBER', 'POST', `/crews/${crew}/issues/${issue}/comments`, comment)).status).toBe(201)
    const [request] = await it.until(1)
    expect(Buffer.byteLength(JSON.parse(request!.body).body)).toBeLessThanOrEqual(1024 + 3)
  })

  it('puts no header of its own into what is sent', async () => {
    const it = await place({ type: 'shoutrrr', provider: 'ntfy', fields: { topic: 'x' } })
    it.start()
    await it.template({ title: 'A\r\nX-Evil: 1 {{ vars.title }}', body: 'B\r\nX-Evil: 2' })
    it.app.writeNow(() => it.assign(1, 'C\r\nX-Evil: 3'))
    const [request] = await it.until(1)
    expect(request!.headers).not.toHaveProperty('x-evil')
    expect(request!.headers['title']).toBe('A X-Evil: 1 C X-Evil: 3')
  })

  it('and a title put no header into what a webhook is sent', async () => {
    const it = await place({ type: 'webhook', url: 'https://example.com/ho\r\nok', secret: 'a\r\nX-Evil: 0' })
    it.start()
    await it.template({ title: 'A\r\nX-Evil: 1 {{ vars.title }}', body: 'B\r\nX-Evil: 2' })
    it.app.writeNow(() => it.assign(1, 'C\r\nX-Evil: 3'))
    const [request] = await it.until(1)
    expect(request!.url).toBe('https://example.com/hook')
    expect(Object.keys(request!.headers).filter((name) => name.startsWith('x-'))).toEqual([
      'x-svc-signature',
      'x-svc-category',
      'x-svc-delivery',
      'x-svc-timestamp',
    ])
    expect(JSON.stringify(request!.headers)).not.toMatch(/evil/i)
    expect(JSON.parse(request!.body).title).toBe('A X-Evil: 1 C X-Evil: 3')
  })
})

/** Of services in which a text can call people: what calls them, as it was sent. */
const callers: [provider: string, url: string][] = [
  ['slack', 'slack://hook:AAA-BBB-CCC@webhook'],
  ['discord', 'discord://token-of-it@123'],
  ['teams', `teams://?host=${encodeURIComponent('https://a.logic.azure.com/workflows/1?sig=x')}`],
  ['mattermost', 'mattermost://chat.example.com/token-of-it'],
  ['googlechat', 'googlechat://chat.googleapis.com/v1/spaces/S/messages?key=k&token=t'],
]

describe('words that call people', () => {
  it.each(callers)('call nobody in %s', async (provider, secret) => {
    const it = await place()
    const words = '@everyone @here @all <!channel> <!here> <@U123> <@&5> <users/all> <at>Ann</at>'
    const target: Target = { type: 'shoutrrr', url: null, address: null, provider, secret }
    await sendMessage(it.app, target, {
      id: 'del_1',
      title: words,
      body: words,
      links: [],
      priority: 'low',
      webhook: { header: 'X-Svc-Category', name: 'security', body: {} },
    })
    const sent = JSON.parse(it.arrived[0]!.body)
    // Discord is told in words of its own that nobody is called; cards of Teams call only whom their `msteams` names.
    if (provider === 'discord') expect(sent.allowed_mentions).toEqual({ parse: [] })
    else if (provider === 'teams') expect(JSON.stringify(sent)).not.toContain('msteams')
    else expect(it.arrived[0]!.body).not.toMatch(calls[provider]!)
  })
})

const calls: Record<string, RegExp> = {
  slack: /<[!@]/,
  mattermost: /@(everyone|here|all|channel)/,
  googlechat: /<users\//,
}

it('a service that says nothing is given up in time, whichever it is', { timeout: 60_000 }, async () => {
  const it = await daemon()
  const servers = await vendors(it, () => undefined)
  const services: Target[] = providers.map(({ provider }) => ({
    type: 'shoutrrr',
    url: null,
    address: null,
    provider,
    secret: silent[provider]!,
  }))
  const hook: Target = { type: 'webhook', url: 'https://example.com/', address: null, provider: null, secret: 'x' }
  const made = await Promise.all(
    [...services, hook].map(async (target) => {
      const error = await sendMessage(it.app, target, {
        id: 'del_1',
        title: 'T',
        body: 'M',
        links: [],
        priority: 'low',
        webhook: { header: 'X-Svc-Category', name: 'security', body: {} },
      }).then(
        () => null,
        (failure: Error & { temporary?: boolean }) => failure,
      )
      return [target.provider ?? target.type, error?.temporary]
    }),
  )
  expect(made).toEqual([...providers.map(({ provider }) => [provider, true]), ['webhook', true]])
  expect(servers.arrived).toHaveLength(providers.length + 1)
})

const silent: Record<string, string> = {
  ...Object.fromEntries(callers),
  telegram: 'telegram://12:token-of-it@telegram?chats=7',
  ntfy: 'ntfy://ntfy.sh/topic',
  gotify: 'gotify://push.example.com/token-of-it',
  pushover: 'pushover://:token-of-it@somebody',
  matrix: 'matrix://:token-of-it@matrix.example.com?rooms=!a:example.com',
  opsgenie: 'opsgenie://api.opsgenie.com/token-of-it',
}
