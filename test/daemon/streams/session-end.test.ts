import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { addPerson, closing } from '#test'
import { createSockets } from '../../../daemon/streams/ws.ts'
import { type Browser, browser, knownPassword, quickHash } from '../../support/browser.ts'
import { workplace } from '../../support/runs.ts'
import { codeAt } from '../../support/totp.ts'

/** Two browsers of one user at a listening daemon, and a chat to watch. */
async function setUp() {
  const it = await workplace()
  const ada = it.app.writeNow(() => addPerson(it.app, 'OWNER', it.workspace))
  it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  const sockets = createSockets(it.app)
  sockets.attach(it.http.server)
  closing({ close: () => sockets.close() })
  const enter = async () => {
    const web = browser(it, { 'x-workspace-id': it.workspace })
    await web.signIn(ada.email, knownPassword)
    return web
  }
  return { it, ada, laptop: await enter(), phone: await enter(), chat: await it.openChat() }
}

const cookieOf = ({ jar }: Browser) => `authjs.session-token=${jar.get('authjs.session-token')!.value}`

/** A stream over HTTP; `ended` resolves when the server has closed it. */
async function watch(base: string, path: string, web: Browser, workspace: string) {
  const reply = await fetch(`${base}${path}`, { headers: { cookie: cookieOf(web), 'x-workspace-id': workspace } })
  expect(reply.status).toBe(200)
  const reader = reply.body!.getReader()
  await reader.read()
  const rest = async () => {
    while (!(await reader.read()).done);
  }
  return { ended: rest() }
}

async function socket(base: string, web: Browser) {
  const { body } = await web.call('GET', '/ws-token')
  const client = new WebSocket(`${base.replace('http', 'ws')}/ws`)
  closing({ close: () => client.terminate() })
  await once(client, 'open')
  client.send(JSON.stringify({ type: 'auth', token: body.token }))
  await once(client, 'message')
  return client
}

/** What a new socket is told that shows this token. */
async function firstAnswer(base: string, token: string): Promise<unknown> {
  const client = new WebSocket(`${base.replace('http', 'ws')}/ws`)
  closing({ close: () => client.terminate() })
  await once(client, 'open')
  client.send(JSON.stringify({ type: 'auth', token }))
  return JSON.parse(String((await once(client, 'message'))[0]))
}

describe('a session that ends', () => {
  it('closes its own socket and streams at once, and nobody else’s', async () => {
    const { it: server, laptop, phone, chat } = await setUp()
    const [own, other] = [await socket(server.base, phone), await socket(server.base, laptop)]
    const streams = await Promise.all([
      watch(server.base, '/api/v1/journal/stream', phone, server.workspace),
      watch(server.base, `/api/v1/chats/${chat}/stream?follow=true`, phone, server.workspace),
    ])
    const heard = once(own, 'message')
    const closed = once(own, 'close')
    const [, { id }] = (await phone.call('GET', '/auth/sessions')).body.sort((a: { is_current: boolean }) =>
      a.is_current ? 1 : -1,
    )
    expect((await laptop.call('POST', `/auth/sessions/${id}/revoke`)).status).toBe(200)
    expect(JSON.parse(String((await heard)[0]))).toMatchObject({
      type: 'session_revoked',
      payload: { reason: 'session_revoked' },
    })
    expect((await closed)[0]).toBe(4401)
    await Promise.all(streams.map(({ ended }) => ended))
    const pong = once(other, 'message')
    other.send('{"type":"ping"}')
    expect(JSON.parse(String((await pong)[0])).type).toBe('pong')
  })

  it('lets no new socket in with a token that was given out before', async () => {
    const { it: server, phone } = await setUp()
    const { body } = await phone.call('GET', '/ws-token')
    await phone.call('POST', '/api/auth/signout')
    const client = new WebSocket(`${server.base.replace('http', 'ws')}/ws`)
    closing({ close: () => client.terminate() })
    await once(client, 'open')
    client.send(JSON.stringify({ type: 'auth', token: body.token }))
    expect((await once(client, 'close'))[0]).toBe(4401)
  })
})

describe('a second factor that is turned on', () => {
  it(
    'closes what other browsers have open, and their socket tokens open ' + 'nothing before it is shown there',
    async () => {
      const { it: server, laptop, phone } = await setUp()
      const [own, other] = [await socket(server.base, phone), await socket(server.base, laptop)]
      const stream = await watch(server.base, '/api/v1/journal/stream', laptop, server.workspace)
      const { token } = (await laptop.call('GET', '/ws-token')).body
      const closed = once(other, 'close')
      const { secret } = (await phone.call('POST', '/users/me/totp', { password: knownPassword })).body
      expect(
        (await phone.call('POST', '/users/me/totp/confirm', { code: codeAt(secret, server.clock()) })).status,
      ).toBe(200)
      expect((await closed)[0]).toBe(4401)
      await stream.ended
      expect(await firstAnswer(server.base, token)).toMatchObject({ type: 'session_revoked' })
      const pong = once(own, 'message')
      own.send('{"type":"ping"}')
      expect(JSON.parse(String((await pong)[0])).type).toBe('pong')
      server.clock.advance(30_000)
      expect((await laptop.call('POST', '/auth/step-up', { code: codeAt(secret, server.clock()) })).status).toBe(200)
      expect(await firstAnswer(server.base, token)).toMatchObject({ type: 'ready' })
    },
  )
})
