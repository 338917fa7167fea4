import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

/** A change whose body is held back until `meanwhile` has happened and two seconds have gone by. */
async function slowly(it: Awaited<ReturnType<typeof daemon>>, meanwhile: () => unknown) {
  const base = await it.http.listen({ port: 0, host: '127.0.0.1' })
  const { token, workspace } = it.person('MANAGER')
  const body = JSON.stringify({ name: 'Slow', slug: 'slow' })
  const out = request(`${base}/api/v1/crews`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-workspace-id': workspace, 'content-type': 'application/json', 'content-length': body.length },
  })
  out.write(body.slice(0, 5))
  const admitted = once(it.http.server, 'request')
  await admitted
  await new Promise(setImmediate)
  await meanwhile()
  it.clock.advance(2000)
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

  it('does not outlive the role that it came with', async () => {
    const it = await daemon()
    expect(await slowly(it, () => it.app.db.prepare("UPDATE workspace_members SET role = 'VIEWER' WHERE user_id = ?").run(it.person('MANAGER').userId))).toBe(
      403,
    )
  })

  it('nor the membership', async () => {
    const it = await daemon()
    expect(await slowly(it, () => it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(it.person('MANAGER').userId))).toBe(403)
  })

  it('nor the token', async () => {
    const it = await daemon()
    expect(await slowly(it, () => it.app.db.prepare("UPDATE cli_tokens SET revoked_at = 'now' WHERE user_id = ?").run(it.person('MANAGER').userId))).toBe(401)
  })
})
