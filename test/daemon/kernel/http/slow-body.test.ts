import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

interface Change {
  path?: string
  body?: object
  /** Milliseconds that go by. */
  after?: number
}

/**
 * A change whose body is held back until `meanwhile` has happened and some time, two seconds as a rule, has gone by.
 */
async function slowly(
  it: Awaited<ReturnType<typeof daemon>>,
  meanwhile: () => unknown,
  { path = '/crews', body: given = { name: 'Slow', slug: 'slow' }, after = 2000 }: Change = {},
) {
  const base = await it.http.listen({ port: 0, host: '127.0.0.1' })
  const { token, workspace } = it.person('MANAGER')
  const body = JSON.stringify(given)
  const out = request(`${base}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'x-workspace-id': workspace,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  })
  out.write(body.slice(0, 5))
  const admitted = once(it.http.server, 'request')
  await admitted
  await new Promise(setImmediate)
  await meanwhile()
  it.clock.advance(after)
  out.end(body.slice(5))
  const [reply] = (await once(out, 'response')) as [IncomingMessage]
  reply.resume()
  return reply.statusCode
}

describe('a body that takes its time', () => {
  it('is taken when nothing changed', async () => {
    const it = await daemon()
    expect(await slowly(it, () => undefined)).toBe(201)
  })

  it.each([
    [-1000, 403],
    [-999, 201],
    [999, 201],
    [1000, 403],
  ])('is checked again after a second by the clock, whichever way that goes: %i ms', async (after, status) => {
    const it = await daemon()
    const lower = () =>
      it.app.db
        .prepare("UPDATE workspace_members SET role = 'VIEWER' WHERE user_id = ?")
        .run(it.person('MANAGER').userId)
    expect(await slowly(it, lower, { after })).toBe(status)
  })

  it('needs no workspace where none was asked for', async () => {
    const it = await daemon()
    expect(await slowly(it, () => undefined, { path: '/workspaces' })).toBe(201)
  })

  it('needs nobody where the endpoint is public', async () => {
    const it = await daemon({ config: { allowSignup: true } })
    const body = { email: 'nobody@example.com' }
    expect(await slowly(it, () => undefined, { path: '/auth/forgot', body })).toBeLessThan(300)
  })

  it('does not outlive the role that it came with', async () => {
    const it = await daemon()
    expect(
      await slowly(it, () =>
        it.app.db
          .prepare("UPDATE workspace_members SET role = 'VIEWER' WHERE user_id = ?")
          .run(it.person('MANAGER').userId),
      ),
    ).toBe(403)
  })

  it('nor the membership', async () => {
    const it = await daemon()
    expect(
      await slowly(it, () =>
        it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(it.person('MANAGER').userId),
      ),
    ).toBe(403)
  })

  it('nor the token', async () => {
    const it = await daemon()
    expect(
      await slowly(it, () =>
        it.app.db
          .prepare("UPDATE cli_tokens SET revoked_at = 'now' WHERE user_id = ?")
          .run(it.person('MANAGER').userId),
      ),
    ).toBe(401)
  })

  it.each([
    ['makes no token', '/auth/cli-token', { name: 'kept' }],
    ['replaces no token', '/auth/cli-tokens/HERE/rotate', { name: 'kept' }],
    ['pairs no device', '/auth/pair/start', { adapter_hint: 'KEPT' }],
  ])('%s with one that was revoked meanwhile, however quick it is', async (_, address, body) => {
    const it = await daemon()
    const other = (await it.call('MANAGER', 'POST', '/auth/cli-token')).body.id
    const { id } = (await it.call('MANAGER', 'GET', '/auth/cli-token/validate')).body
    const revoke = () => it.call('MANAGER', 'DELETE', `/auth/cli-tokens/${id}`)
    expect(await slowly(it, revoke, { path: address.replace('HERE', other), body, after: 0 })).toBe(401)
    expect(
      it.app.db.prepare('SELECT count(*) FROM cli_tokens WHERE user_id = ?').pluck().get(it.person('MANAGER').userId),
    ).toBe(2)
    expect(it.app.db.prepare('SELECT count(*) FROM cli_pairings').pluck().get()).toBe(0)
  })
})
