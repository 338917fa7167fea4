import { describe, expect, it } from 'vitest'
import type { Ask } from '#runtime/sidecar/control'
import { usesEveryMs } from '#runtime/sidecar/uses'
import type { SidecarCall } from '#runtime/types'
import { call, config, credential, sidecar, vendor } from './support.ts'

const shows = { 'x-api-key': 'dummy-ada' }

/** A sidecar whose daemon answers as told; what it was asked. */
async function place(allowed: boolean, scopes?: readonly { host: string; method: string; path: string }[]) {
  const { url, seen } = await vendor()
  const asked: SidecarCall[] = []
  const ask: Ask = (it) => {
    asked.push(it)
    const body = allowed ? { allowed } : { allowed, detail: 'People are asked about it first' }
    return { answer: Promise.resolve({ status: 200, body }), hangUp: () => undefined }
  }
  const key = credential('ANTHROPIC', 'sk-real', scopes ? { scopes } : {})
  const at = await sidecar(config([key], { ANTHROPIC: url }), { ask })
  const host = url
  const send = (path: string) => call(at.url + path, { headers: shows, body: '{}' })
  return { at, seen, asked, host, send, url, ask }
}

describe('model keys', () => {
  it('are put into calls on record: where to, how often, and nothing of the query', async () => {
    const { at, send, host } = await place(true)
    await send('/v1/messages?beta=true')
    await send('/v1/messages')
    await send('/v1/messages/count_tokens')
    const used = at.uses
    const one = { type: 'credential_used', agentId: 'agent-ada', credentialId: 'cred-sk-real', host, method: 'POST' }
    expect(used).toEqual([
      { ...one, path: '/v1/messages', uses: 1 },
      { ...one, path: '/v1/messages/count_tokens', uses: 1 },
    ])
    await expect
      .poll(() => at.uses.at(-1), { timeout: 3 * usesEveryMs })
      .toEqual({ ...one, path: '/v1/messages', uses: 1 })
    expect(at.uses).toHaveLength(3)
  })

  it('go where their scopes allow without a question, and elsewhere not at all', async () => {
    const first = await place(false)
    const scopes = [{ host: first.host, method: 'POST', path: '/v1/messages' }]
    const key = credential('ANTHROPIC', 'sk-real', { scopes })
    first.at.configure(config([key], { ANTHROPIC: first.url }))
    expect((await first.send('/v1/messages')).status).toBe(200)
    expect(first.asked).toEqual([])
    const refused = await first.send('/v1/messages/count_tokens')
    expect(refused.status).toBe(403)
    expect(refused.body).toContain('People are asked about it first')
    expect(refused.headers['x-should-retry']).toBe('false')
    expect(first.seen.map(({ url }) => url)).toEqual(['/v1/messages'])
    expect(first.asked).toMatchObject([
      {
        agentId: 'agent-ada',
        route: '/credential-use',
        body: { credential_id: 'cred-sk-real', host: first.host, method: 'POST', path: '/v1/messages/count_tokens' },
      },
    ])
  })

  it('go where the daemon allows it this time', async () => {
    const { send, seen, asked } = await place(true, [])
    expect((await send('/v1/messages')).status).toBe(200)
    expect(seen[0]!.headers['x-api-key']).toBe('sk-real')
    expect(asked).toHaveLength(1)
  })

  it('that are free are taken before those that have to be asked about', async () => {
    const it = await place(false, [])
    const kept = credential('ANTHROPIC', 'sk-kept', { scopes: [], priority: 1 })
    const free = credential('ANTHROPIC', 'sk-free', { priority: 2 })
    it.at.configure(config([kept, free], { ANTHROPIC: it.url }))
    expect((await it.send('/v1/messages')).status).toBe(200)
    expect(it.seen[0]!.headers['x-api-key']).toBe('sk-free')
    expect(it.asked).toEqual([])
  })

  it.each([['/credential-use'], ['/mcp-tool-calls']])(
    'are nothing that an agent asks the daemon about itself (%s)',
    async (path) => {
      const it = await place(true, [])
      expect((await it.send(path)).status).toBe(404)
      expect(it.asked).toEqual([])
    },
  )
})
