import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { targetOf } from '../../../../daemon/features/ports/service.ts'
import { connectHere } from '../../../../daemon/runtime/bridge/here.ts'
import { exposePorts } from '../../../../daemon/streams/exposed/listener.ts'
import { office } from '../../../support/ports.ts'
import { ask, raw } from '../../../support/ports-http.ts'
import { server } from '../../../support/server.ts'

async function place(config: object) {
  const it = await office({ config: { publicUrl: '', ...config } }, (_crew, port) => connectHere(port))
  closing(await exposePorts(it.app, targetOf, undefined))
  const { port } = await server((request, response) => response.end(request.url))
  return { it, answer: await it.expose({ port }) }
}

describe('exposed ports', () => {
  it('are served with everything else', async () => {
    const { it, answer } = await place({ publicUrl: 'https://muster.example/' })
    expect(answer.body.url).toBe(`https://muster.example/exposed/${answer.body.token}/`)
    expect(await ask(it.base, `/exposed/${answer.body.token}/x`)).toMatchObject({ status: 200, text: '/x' })
  })

  it('are served from a listener of their own, and nowhere else', async () => {
    const { it, answer } = await place({ exposedHost: '127.0.0.1', exposedPort: 0 })
    const { origin, pathname } = new URL(answer.body.url)
    expect(origin).not.toBe(it.base)
    expect(await ask(origin, `${pathname}x`)).toMatchObject({ status: 200, text: '/x' })
    expect((await ask(it.base, `${pathname}x`)).status).toBe(404)
    for (const path of ['/', '/api/v1/users/me', '/ws', '/login']) expect((await ask(origin, path)).status).toBe(404)
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    expect((await ask(origin, pathname, { headers })).status).toBe(426)
    expect(await raw(origin, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
  })

  it('have the address that browsers see', async () => {
    const { answer } = await place({ exposedHost: '127.0.0.1', exposedPort: 0, exposedUrl: 'https://shown.example' })
    expect(answer.body.url).toBe(`https://shown.example/exposed/${answer.body.token}/`)
  })

  it('are not served to foreign names of this server', async () => {
    const { it, answer } = await place({ publicUrl: 'https://muster.example' })
    const path = `/exposed/${answer.body.token}/`
    expect((await ask(it.base, path, { headers: { host: 'muster.example' } })).status).toBe(200)
    expect((await ask(it.base, path, { headers: { host: 'rebound.example' } })).status).toBe(403)
  })
})
