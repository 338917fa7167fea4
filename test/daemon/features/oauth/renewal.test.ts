import { describe, expect, it } from 'vitest'
import { valueFor } from '../../../../daemon/features/credentials/oauth/service.ts'
import { renew, renewalsOver, renewDue } from '../../../../daemon/features/credentials/oauth-renewal/service.ts'
import { deferred } from '../../../support/deferred.ts'
import { oauthScene } from '../../../support/oauth.ts'

type Scene = Awaited<ReturnType<typeof oauthScene>>

/** Signed in with tokens that end in that many seconds. */
async function signedIn(seconds: number) {
  const scene = await oauthScene({ servers: { seconds } })
  const id = await scene.signIn()
  const { workspace_id } = await scene.show(id)
  return { ...scene, id, token: () => valueFor(scene.it.app, workspace_id, id, scene.servers.resource) }
}

const renewals = ({ servers }: Scene) => servers.seen.filter((path) => path === '/token').length - 1

const refuse = (servers: Scene['servers'], status: number, body: object) =>
  servers.instead.set('/token', (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })

describe('renewing tokens', () => {
  it('takes place when they end within ten minutes, and not before', async () => {
    const soon = await signedIn(500)
    const before = soon.token()
    await renewDue(soon.it.app)
    expect(soon.token()).not.toBe(before)
    expect(await soon.servers.takes(soon.token()!)).toBe(true)
    const late = await signedIn(700)
    await renewDue(late.it.app)
    expect(renewals(late)).toBe(0)
  })

  it('keeps the refresh token that the server gives in place of the last one', async () => {
    const scene = await signedIn(500)
    for (const time of [1, 2, 3]) {
      expect(await renew(scene.it.app, scene.id)).toBe(true)
      expect(renewals(scene)).toBe(time)
    }
    expect((await scene.show(scene.id)).status).toBe('ACTIVE')
  })

  it('is done once for all who ask at the same time', async () => {
    const scene = await signedIn(500)
    const { app } = scene.it
    const done = await Promise.all([renew(app, scene.id), renew(app, scene.id), renewDue(app), renew(app, scene.id)])
    expect(done).toEqual([true, true, undefined, true])
    expect(renewals(scene)).toBe(1)
  })

  it('drops what comes after a new sign-in', async () => {
    const scene = await signedIn(500)
    const { it, servers, id } = scene
    const asked = deferred()
    const released = deferred()
    servers.instead.set('/token', async (_, response) => {
      asked.resolve()
      await released.promise
      const body = { access_token: 'late', token_type: 'Bearer', expires_in: 3600 }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    const renewing = renew(it.app, id)
    await asked.promise
    servers.instead.delete('/token')
    await scene.signIn()
    const fresh = scene.token()
    released.resolve()
    expect(await renewing).toBe(false)
    expect(scene.token()).toBe(fresh)
  })

  it('is heard to its end when the daemon stops, so that a new refresh token is not lost', async () => {
    const scene = await signedIn(500)
    const { app } = scene.it
    const [asked, released] = [deferred(), deferred()]
    scene.servers.instead.set('/token', async (_, response) => {
      asked.resolve()
      await released.promise
      const body = { access_token: 'new', refresh_token: 'rotated', token_type: 'Bearer', expires_in: 3600 }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    const renewing = renew(app, scene.id)
    await asked.promise
    app.stopping.abort()
    let over = false
    const waiting = renewalsOver(app, 60_000).then(() => {
      over = true
    })
    expect(over).toBe(false)
    released.resolve()
    await waiting
    expect(scene.token()).toBe('new')
    expect(await renewing).toBe(true)
    expect(await renew(app, scene.id)).toBe(false)
    expect(renewals(scene)).toBe(1)
  })

  it('holds no stop up for longer than it may', async () => {
    const scene = await signedIn(500)
    const asked = deferred()
    scene.servers.instead.set('/token', () => asked.resolve())
    void renew(scene.it.app, scene.id)
    await asked.promise
    await renewalsOver(scene.it.app, 1)
    expect(renewals(scene)).toBe(1)
  })

  it('that the server refuses ends the credential, and its person is told once', async () => {
    const scene = await signedIn(500)
    const { it, servers, id } = scene
    const heard: object[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => void (type === 'credential.expired' && heard.push(payload)))
    refuse(servers, 400, { error: 'invalid_grant', error_description: 'hush' })
    await renewDue(it.app)
    await renewDue(it.app)
    const reason = expect.stringMatching(/^127\.0\.0\.1:\d+ refused: invalid_grant$/)
    expect(await scene.show(id)).toMatchObject({ status: 'EXPIRED', last_error: reason })
    expect(heard).toEqual([{ credential_id: id, reason }])
    expect(scene.expired()).toHaveLength(1)
    expect(scene.token()).toBeNull()
    const told = (await it.call('OWNER', 'GET', '/notifications')).body
    expect(told).toMatchObject([{ action: 'expired', entity_type: 'credential', entity_id: id }])
    const again = await scene.signIn().catch((error: Error) => error.message)
    expect(again).toContain('502')
  })

  it.each([
    [500, { error: 'server_error' }],
    [503, {}],
    [400, { error: 'temporarily_unavailable' }],
  ])('that fails with %i for now is tried again', async (status, body) => {
    const scene = await signedIn(500)
    const before = scene.token()
    refuse(scene.servers, status, body)
    await renewDue(scene.it.app)
    expect(await scene.show(scene.id)).toMatchObject({ status: 'ACTIVE' })
    expect(scene.token()).toBe(before)
    scene.servers.instead.delete('/token')
    await renewDue(scene.it.app)
    expect(scene.token()).not.toBe(before)
  })

  it('that nothing is there for ends the credential with its token', async () => {
    const scene = await signedIn(500)
    const { it, id } = scene
    it.app.db.prepare('UPDATE oauth_clients SET refresh_sealed = NULL').run()
    await renewDue(it.app)
    expect((await scene.show(id)).status).toBe('ACTIVE')
    it.app.db.prepare("UPDATE credentials SET token_expires_at = '2020-01-01T00:00:00Z'").run()
    await renewDue(it.app)
    expect(await scene.show(id)).toMatchObject({ status: 'EXPIRED', last_error: expect.stringContaining('has ended') })
    expect(scene.expired()).toHaveLength(1)
  })
})
