import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { TestDaemon } from '#test'
import { json } from '../../../support/fake-server.ts'
import { managedScene } from '../../../support/managed-provider.ts'

/** Asks to revoke an account whose id stands in the path as it is written; answers with the status. */
async function revokedRaw({ http, person, workspace }: TestDaemon, id: string): Promise<number> {
  if (!http.server.listening) await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  const path = `/api/v1/integrations/managed/accounts/${id}/revoke`
  const headers = { authorization: `Bearer ${person('ADMIN').token}`, 'x-workspace-id': workspace }
  return new Promise((resolve, reject) =>
    request({ port, path, method: 'POST', headers }, (reply) => resolve(reply.resume().statusCode!))
      .on('error', reject)
      .end(),
  )
}

describe('managed integrations', () => {
  it('without a key answer reads with nothing and refuse writes', async () => {
    const { managed, ada, provider } = await managedScene({ managedApiKey: '' })
    const read = async (path: string) => (await managed('VIEWER', 'GET', path)).body
    expect(await read('/inventory')).toEqual({ enabled: false, auth_configs: [], users: [] })
    expect(await read('/toolkits')).toEqual({ enabled: false, total: 0, toolkits: [] })
    expect(await read('/tools?toolkit=mail')).toEqual({ enabled: false, total: 0, tools: [] })
    expect(await read('/triggers')).toEqual({ enabled: false, total: 0, triggers: [] })
    expect(await read('/triggers/active')).toEqual({ enabled: false, triggers: [] })
    expect(await read('/settings')).toEqual({ configured: false, source: 'none' })
    expect(await read('/default')).toMatchObject({ enabled_flag: false, connected_user_count: 0 })
    expect(await read(`/agents/${ada}/bind`)).toEqual({ agent_id: ada, bindings: [] })
    for (const [method, path, body] of [
      ['POST', '/triggers', { slug: 'X', user_id: 'x' }],
      ['POST', '/connect', { toolkit: 'mail', user_id: 'x' }],
      ['PUT', '/default', {}],
      ['POST', `/agents/${ada}/bind`, { user_id: 'x' }],
      ['POST', '/accounts/ca_1/revoke'],
      ['POST', '/accounts/ca_1/refresh'],
      ['DELETE', '/accounts/ca_1'],
    ] as const)
      expect(await managed('ADMIN', method, path, body)).toMatchObject({
        status: 400,
        body: { code: 'managed_unconfigured', detail: expect.stringContaining('key') },
      })
    expect((await managed('VIEWER', 'GET', '/tools')).status).toBe(400)
    expect(provider.seen).toEqual([])
  })

  it('list users by id with all pages of their accounts, and nothing that they should not', async () => {
    const { managed, provider } = await managedScene()
    const { body, text } = await managed('VIEWER', 'GET', '/inventory')
    expect(body.auth_configs[0]).toEqual({
      id: 'ac_mail',
      name: 'mail [2J',
      status: 'ENABLED',
      toolkit: { slug: 'mail', logo: 'https://logo.example/mail' },
    })
    expect(body.users.map(({ user_id }: { user_id: string }) => user_id)).toEqual(['ada', 'zoe'])
    expect(body.users[0].connected_accounts[0]).toEqual({
      id: 'ca_1',
      user_id: 'ada',
      status: 'ACTIVE',
      toolkit: { slug: 'mail' },
      auth_config: { id: 'ac_mail', auth_scheme: 'OAUTH2', is_acme_managed: true, is_disabled: false },
    })
    expect(text).not.toContain('never shown')
    expect(provider.seen.every(({ headers }) => headers['x-api-key'] === 'key-1')).toBe(true)
  })

  it('list toolkits, tools and kinds of triggers, 40 unless stated and at most 100', async () => {
    const { managed, provider } = await managedScene()
    expect((await managed('VIEWER', 'GET', '/toolkits?search=ma&category=c')).body).toEqual({
      enabled: true,
      total: 812,
      toolkits: [
        {
          slug: 'mail',
          name: 'Mail',
          no_auth: false,
          meta: { description: 'Letters', logo: '', tools_count: 4, categories: [{ id: 'c', name: 'C' }] },
        },
        { slug: 'bare', name: '', no_auth: false, meta: { description: '', logo: '', tools_count: 0, categories: [] } },
      ],
    })
    expect((await managed('VIEWER', 'GET', '/tools?toolkit=mail&limit=2')).body).toMatchObject({
      total: 4,
      tools: [{ slug: 'MAIL_FETCH_MESSAGES', toolkit: { slug: 'mail' } }, {}],
    })
    expect((await managed('VIEWER', 'GET', '/triggers?toolkit=mail&limit=1000')).body.triggers).toMatchObject([
      { slug: 'MAIL_NEW', type: 'poll', toolkit: { slug: 'mail' } },
    ])
    expect((await managed('VIEWER', 'GET', '/triggers/active')).body).toEqual({
      enabled: true,
      triggers: [
        {
          id: 'ti_1',
          trigger_name: 'MAIL_NEW',
          user_id: 'ada',
          connected_account_id: 'ca_1',
          trigger_config: { a: 1 },
        },
      ],
    })
    expect(provider.seen.map(({ url }) => url)).toEqual([
      '/api/v3/toolkits?search=ma&category=c&limit=40',
      '/api/v3.1/tools?toolkit_slug=mail&limit=2',
      '/api/v3.1/triggers_types?toolkit_slugs=mail&limit=100',
      '/api/v3.1/trigger_instances/active?limit=100',
    ])
  })

  it('create triggers, connect accounts by what is set up or set up now, and act on accounts', async () => {
    const { it: d, managed, provider } = await managedScene()
    expect(
      (await managed('ADMIN', 'POST', '/triggers', { slug: 'MAIL_NEW', user_id: 'ada', config: { a: 1 } })).body,
    ).toEqual({ enabled: true, trigger: { trigger_id: 'ti_2' } })
    expect(JSON.parse(provider.seen.at(-1)!.body)).toEqual({ user_id: 'ada', trigger_config: { a: 1 } })
    expect(await managed('ADMIN', 'POST', '/triggers', { slug: 'NONE', user_id: 'ada' })).toMatchObject({
      status: 400,
      body: { field: 'slug' },
    })
    for (const toolkit of ['mail', 'newone'])
      expect((await managed('ADMIN', 'POST', '/connect', { toolkit, user_id: 'bo' })).body).toEqual({
        redirect_url: `https://provider.example/link/ac_${toolkit}`,
        connected_account_id: 'ca_9',
        user_id: 'bo',
      })
    expect((await managed('ADMIN', 'POST', '/accounts/ca_1/revoke')).status).toBe(204)
    expect((await managed('ADMIN', 'POST', '/accounts/ca_1/refresh')).status).toBe(204)
    expect((await managed('ADMIN', 'DELETE', '/accounts/ca_1')).status).toBe(204)
    expect((await managed('ADMIN', 'DELETE', '/accounts/none')).status).toBe(404)
    expect((await managed('ADMIN', 'DELETE', '/accounts/%2e%2e%2fservers')).status).toBe(404)
    expect((await managed('MANAGER', 'DELETE', '/accounts/ca_1')).status).toBe(403)
    const asked = provider.seen.length
    for (const id of ['%2e', '%2e%2e']) expect(await revokedRaw(d, id)).toBe(404)
    expect(provider.seen).toHaveLength(asked)
    expect(
      d
        .entries()
        .slice(-6)
        .map(({ summary }) => summary),
    ).toEqual([
      expect.stringContaining('trigger "MAIL_NEW" was created for user "ada"'),
      expect.stringContaining('began to connect "mail" for user "bo"'),
      expect.stringContaining('began to connect "newone"'),
      expect.stringContaining('was revoked by'),
      expect.stringContaining('was refreshed by'),
      expect.stringContaining('was deleted by'),
    ])
  })

  it('answer 502 with one line of the cause, without the key, whatever the provider does', async () => {
    const { it: d, managed, provider } = await managedScene()
    const faults: [(reply: import('node:http').ServerResponse) => unknown, string][] = [
      [
        (reply) => json(reply, { error: { message: `bad\u001b[2J\nkey-1 ${'x'.repeat(999)}` } }, 500),
        'it answered 500: bad [2J *** xxx',
      ],
      [(reply) => reply.end('<html>'), 'without JSON'],
      [(reply) => reply.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 'it answered 302'],
      [(reply) => reply.destroy(), 'cannot be reached'],
      [(reply) => reply.end(Buffer.alloc(9 * 1024 * 1024, 32)), 'larger than'],
    ]
    for (const [answer, cause] of faults) {
      provider.state.fault = { path: '/api', answer }
      const { status, body, text } = await managed('VIEWER', 'GET', '/toolkits')
      expect({ status, code: body.code }).toEqual({ status: 502, code: 'managed_failed' })
      expect(body.detail).toContain(cause)
      expect(body.detail).not.toMatch(/[\p{C}]/u)
      expect(text).not.toContain('key-1')
      expect(body.detail.length).toBeLessThan(300)
    }
    provider.state.fault = { path: '/api', answer: (reply) => json(reply, { items: [null, 7, { slug: {} }] }) }
    expect((await managed('VIEWER', 'GET', '/toolkits')).body.toolkits).toMatchObject([{ slug: '' }])
    expect((await managed('VIEWER', 'GET', '/inventory')).body.users).toEqual([])
    provider.state.fault = {
      path: '/api/v3.1/connected_accounts/link',
      answer: (reply) => json(reply, { redirect_url: 'javascript:alert(1)' }),
    }
    expect((await managed('ADMIN', 'POST', '/connect', { toolkit: 'mail', user_id: 'x' })).status).toBe(502)
    expect(
      d.entries().filter(({ payload }) => (payload as { entity_type?: string }).entity_type === 'managed_account'),
    ).toEqual([])
  })

  it('use the key of the workspace before that of the server, once the provider accepts it', async () => {
    const { it: d, managed, ada, provider } = await managedScene()
    expect((await managed('VIEWER', 'GET', '/settings')).body).toEqual({ configured: true, source: 'env' })
    await managed('ADMIN', 'POST', `/agents/${ada}/bind`, { user_id: 'ada', toolkits: ['mail'] })
    const refused = await managed('ADMIN', 'PUT', '/settings', { api_key: 'wrong', label: 'x', base_url: '' })
    expect(refused).toMatchObject({ status: 400, body: { code: 'managed_key_rejected' } })
    provider.state.key = 'key-2'
    const put = await managed('ADMIN', 'PUT', '/settings', { api_key: 'key-2', label: 'team', base_url: '' })
    expect(put.body).toEqual({ configured: true, source: 'workspace', label: 'team' })
    expect((await managed('VIEWER', 'GET', '/inventory')).status).toBe(200)
    expect(d.entries().map(({ entry_type }) => entry_type)).toContain('credential.rotated')
    expect(JSON.stringify(d.app.db.prepare('SELECT * FROM managed_settings').all())).not.toContain('key-2')
    expect(JSON.stringify(d.entries())).not.toContain('key-2')
    const elsewhere = await managed('ADMIN', 'PUT', '/settings', { api_key: 'k', base_url: 'https://evil.example' })
    expect(elsewhere).toMatchObject({ status: 400, body: { field: 'base_url' } })
    expect((await managed('ADMIN', 'DELETE', '/settings')).body).toEqual({ configured: true, source: 'env' })
    expect((await managed('VIEWER', 'GET', '/inventory')).status).toBe(400)
    expect((await managed('VIEWER', 'GET', `/agents/${ada}/bind`)).body.bindings).toHaveLength(1)
    Object.assign(d.app.config, { managedApiKey: '' })
    await managed('ADMIN', 'PUT', '/settings', { api_key: 'key-2' })
    expect((await managed('ADMIN', 'DELETE', '/settings')).body).toEqual({ configured: false, source: 'none' })
    expect((await managed('VIEWER', 'GET', `/agents/${ada}/bind`)).body.bindings).toEqual([])
  })

  it('are found under other words where the configuration has them', async () => {
    const { it: d } = await managedScene({ managedAliases: ['acme'] })
    expect((await d.call('VIEWER', 'GET', '/integrations/acme/settings')).body.source).toBe('env')
    expect((await d.call('VIEWER', 'GET', '/integrations/acme/triggers/active')).body.enabled).toBe(true)
    expect((await d.call('VIEWER', 'GET', '/integrations/managed/settings')).status).toBe(200)
    await expect(managedScene({ managedAliases: ['crews'] })).rejects.toThrow(/address of this API already/)
  })
})
