import { describe, expect, it } from 'vitest'
import { mostServers } from '#contract/integrations'
import { daemon } from '#test'
import { heard, integrationScene } from '../../../support/integrations.ts'

/** For what changes nothing. */
const common = daemon({ shared: true })
const draft = { name: 'search', endpoint: 'https://search.example/mcp' }

describe('integrations of the workspace', () => {
  it('are added, listed newest first, shown, changed and deleted', async () => {
    const { it, crew, ada, server, bind } = await integrationScene()
    const first = await it.call('ADMIN', 'POST', '/integrations', draft)
    expect(first).toMatchObject({
      status: 201,
      body: {
        workspace_id: it.workspace,
        name: 'search',
        display_name: 'search',
        transport: 'streamable-http',
        endpoint: 'https://search.example/mcp',
        command: null,
        args_json: null,
        env_json: null,
        config_json: null,
        icon: null,
        enabled: true,
        agent_binding_count: 0,
        crew_server_count: 0,
      },
    })
    const second = await server('second')
    await bind(ada, first.body)
    await server('mine', { workspace_mcp_server_id: first.body.id, endpoint: null }, crew)
    expect((await it.call('VIEWER', 'GET', '/integrations')).body).toMatchObject([
      { id: second.id },
      { id: first.body.id, agent_binding_count: 1, crew_server_count: 1 },
    ])
    const changes = { display_name: 'Search', enabled: false, icon: '🔎', config_json: '{"timeout_seconds":30}' }
    const changed = await it.call('ADMIN', 'PATCH', `/integrations/${first.body.id}`, changes)
    expect(changed).toMatchObject({ status: 200, body: { ...changes, name: 'search' } })
    expect((await it.call('VIEWER', 'GET', `/integrations/${first.body.id}`)).body).toEqual(changed.body)
    expect(await it.call('ADMIN', 'DELETE', `/integrations/${first.body.id}`)).toMatchObject({
      status: 200,
      body: { status: 'deleted' },
    })
    expect((await it.call('VIEWER', 'GET', `/integrations/${first.body.id}`)).status).toBe(404)
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/integrations`)).body).toEqual([])
    expect((await it.call('VIEWER', 'GET', `/agents/${ada}/integrations`)).body).toEqual([])
  })

  it('are in the journal and told to those who look on, with what goes with them', async () => {
    const { it, crew, server } = await integrationScene()
    const heardOf = await heard(it, async () => {
      const made = await server('search')
      await it.call('OWNER', 'PATCH', `/integrations/${made.id}`, { display_name: 'Search' })
      const own = await server('own', { workspace_mcp_server_id: made.id, endpoint: null }, crew)
      await it.call('OWNER', 'DELETE', `/integrations/${made.id}`)
      expect(own.crew_id).toBe(crew)
    })
    expect(heardOf).toMatchObject([
      { type: 'integration.created', payload: { name: 'search', scope: 'workspace' } },
      { type: 'integration.updated', payload: { name: 'search', scope: 'workspace' } },
      { type: 'integration.created', payload: { name: 'own', scope: 'crew', crew_id: crew } },
      { type: 'integration.deleted', payload: { scope: 'crew', crew_id: crew } },
      { type: 'integration.deleted', payload: { scope: 'workspace' } },
    ])
    const said = it.entries().map(({ summary }) => summary)
    const { email } = it.person('OWNER')
    expect(said.filter((summary) => summary.startsWith('Integration'))).toEqual([
      `Integration "search" was created by ${email}`,
      `Integration "search" was changed by ${email}: display_name`,
      `Integration "own" was created by ${email}`,
      `Integration "own" was deleted by ${email}`,
      `Integration "search" was deleted by ${email}`,
    ])
  })

  it.each<[string, object, string, string]>([
    ['no endpoint', { endpoint: undefined }, 'missing_field', 'endpoint'],
    ['stdio without a command', { transport: 'stdio', endpoint: null }, 'missing_field', 'command'],
    ['a name with blanks', { name: 'a b' }, 'invalid_field', 'name'],
    ['this machine by its whole name', { endpoint: 'https://localhost./mcp' }, 'invalid_field', 'endpoint'],
    ['the name of Muster itself', { name: 'muster' }, 'invalid_field', 'name'],
    ['the name of Muster in other letters', { name: 'Muster' }, 'invalid_field', 'name'],
    ['another transport', { transport: 'sse' }, 'invalid_field', 'transport'],
    ['no URL', { endpoint: 'nonsense' }, 'invalid_field', 'endpoint'],
    ['an address without TLS', { endpoint: 'http://example.com/mcp' }, 'invalid_field', 'endpoint'],
    ['a file', { endpoint: 'file:///etc/passwd' }, 'invalid_field', 'endpoint'],
    ['a password in the address', { endpoint: 'https://u:p@example.com/mcp' }, 'invalid_field', 'endpoint'],
    ['a private address', { endpoint: 'https://10.0.0.1/mcp' }, 'invalid_field', 'endpoint'],
    ['this machine', { endpoint: 'https://localhost/mcp' }, 'invalid_field', 'endpoint'],
    ['this machine by IPv6', { endpoint: 'https://[::1]/mcp' }, 'invalid_field', 'endpoint'],
    ['metadata of a cloud', { endpoint: 'https://169.254.169.254/mcp' }, 'invalid_field', 'endpoint'],
    ['a path as command', { command: '/bin/sh' }, 'invalid_field', 'command'],
    ['arguments in the command', { command: 'npx -y x' }, 'invalid_field', 'command'],
    ['arguments that are no JSON', { args_json: '-y' }, 'invalid_field', 'args_json'],
    ['arguments that are no texts', { args_json: '[1]' }, 'invalid_field', 'args_json'],
    ['51 arguments', { args_json: JSON.stringify(Array(51).fill('x')) }, 'invalid_field', 'args_json'],
    ['variables that are no object', { env_json: '["A"]' }, 'invalid_field', 'env_json'],
    ['a name that is no variable', { env_json: '{"a b":"x"}' }, 'invalid_field', 'env_json'],
    ['a variable of Muster', { env_json: '{"SVC_AGENT_ID":"x"}' }, 'invalid_field', 'env_json'],
    ['a value that is no text', { env_json: '{"A":1}' }, 'invalid_field', 'env_json'],
    ['a hidden value without one', { env_json: '{"A":"********"}' }, 'invalid_field', 'env_json'],
    ['unknown settings', { config_json: '{"url":"x"}' }, 'invalid_field', 'config_json'],
    ['a header that is a secret', { config_json: '{"headers":{"Authorization":"x"}}' }, 'invalid_field', 'config_json'],
    ['a header of HTTP', { config_json: '{"headers":{"Host":"x"}}' }, 'invalid_field', 'config_json'],
    ['a header that breaks lines', { config_json: '{"headers":{"X-A":"a\\r\\nb"}}' }, 'invalid_field', 'config_json'],
    ['an endless time', { config_json: '{"timeout_seconds":301}' }, 'invalid_field', 'config_json'],
  ])('refuse %s', async (_, members, code, field) => {
    const { call } = await common
    expect((await call('OWNER', 'POST', '/integrations', { ...draft, ...members })).body).toMatchObject({ code, field })
  })

  it('take null for what is not used', async () => {
    const { call } = await daemon()
    const unused = { command: null, args_json: null, env_json: null, enabled: null, icon: null, display_name: null }
    expect((await call('OWNER', 'POST', '/integrations', { ...draft, ...unused })).body).toMatchObject({
      display_name: 'search',
      enabled: true,
    })
  })

  it('are at private addresses and without TLS only where the operator names them', async () => {
    const { it, server } = await integrationScene({ config: { integrationHosts: ['127.0.0.1:9000', 'intranet'] } })
    expect((await server('a', { endpoint: 'http://127.0.0.1:9000/mcp' })).endpoint).toBe('http://127.0.0.1:9000/mcp')
    expect((await server('b', { endpoint: 'http://intranet:81/mcp' })).endpoint).toBe('http://intranet:81/mcp')
    expect((await server('c', { endpoint: 'http://127.0.0.1:9001/mcp' })).code).toBe('invalid_field')
    expect((await server('d', { endpoint: 'ftp://intranet/mcp' })).code).toBe('invalid_field')
    expect(it.app.config.integrationHosts).toHaveLength(2)
  })

  it('cannot be left without what their transport needs', async () => {
    const { it, server } = await integrationScene()
    const made = await server('search')
    const change = async (body: object) => (await it.call('OWNER', 'PATCH', `/integrations/${made.id}`, body)).body
    expect(await change({ transport: 'stdio' })).toMatchObject({ code: 'missing_field', field: 'command' })
    expect(await change({ endpoint: null })).toMatchObject({ code: 'missing_field', field: 'endpoint' })
    expect(await change({})).toMatchObject({ code: 'no_fields' })
    expect(await change({ transport: 'stdio', command: 'npx', args_json: '["-y","x"]' })).toMatchObject({
      transport: 'stdio',
      command: 'npx',
    })
  })

  it('have one name each in their place, and no more than a number', async () => {
    const { it, crew, other, server } = await integrationScene()
    for (const place of [undefined, crew, other]) {
      expect((await server('same', {}, place)).name).toBe('same')
      expect(await server('same', {}, place)).toMatchObject({ status: 409, code: 'name_taken', field: 'name' })
    }
    for (let n = 1; n < mostServers; n++) await server(`n${n}`)
    expect(await server('one-more')).toMatchObject({ status: 409, code: 'integrations_full' })
    expect((await it.call('VIEWER', 'GET', '/integrations')).body).toHaveLength(mostServers)
  })

  it('never show the values of variables, which are stored encrypted', async () => {
    const { it, server } = await integrationScene()
    const made = await server('stdio', {
      transport: 'stdio',
      endpoint: null,
      command: 'npx',
      env_json: '{"TOKEN":"s3cret-one","MODE":"fast"}',
    })
    const hidden = '{"TOKEN":"********","MODE":"********"}'
    expect(made.env_json).toBe(hidden)
    const kept = () => it.app.db.prepare<[], { env_sealed: string }>('SELECT * FROM mcp_servers').get()!
    expect(JSON.stringify(kept())).not.toContain('s3cret')
    const before = kept().env_sealed
    const change = async (body: object) => (await it.call('OWNER', 'PATCH', `/integrations/${made.id}`, body)).body
    expect((await change({ display_name: 'X' })).env_json).toBe(hidden)
    expect(kept().env_sealed).toBe(before)
    expect((await change({ env_json: '{"TOKEN":"********","NEW":"x"}' })).env_json).toBe(
      '{"TOKEN":"********","NEW":"********"}',
    )
    expect((await change({ env_json: '' })).env_json).toBeNull()
    expect(JSON.stringify(it.entries())).not.toContain('s3cret')
  })

  it('name credentials that ADMINs choose, and that others stored themselves', async () => {
    const { it, crew } = await integrationScene()
    const store = async (who: 'OWNER' | 'MANAGER', name: string) =>
      expect((await it.call(who, 'POST', '/credentials', { name, type: 'SECRET', value: 'x-value' })).status).toBe(201)
    await store('OWNER', 'THEIRS')
    await store('MANAGER', 'OWN')
    const naming = async (who: 'ADMIN' | 'MANAGER', name: string) => {
      const env_json = JSON.stringify({ TOKEN: `$\{${name}}` })
      const body = { name: `${who}-${name}`, transport: 'stdio', command: 'npx', env_json }
      const { status, body: told } = await it.call(who, 'POST', `/crews/${crew}/integrations`, body)
      return status === 201 ? 201 : [told.code, told.field]
    }
    const refused = ['insufficient_role', 'env_json']
    expect(await naming('MANAGER', 'THEIRS')).toEqual(refused)
    expect(await naming('MANAGER', 'NOBODYS')).toEqual(refused)
    expect(await naming('MANAGER', 'OWN')).toBe(201)
    expect(await naming('ADMIN', 'THEIRS')).toBe(201)
    expect(await naming('ADMIN', 'NOBODYS')).toBe(201)
  })

  it('lose variables when they become another program', async () => {
    const { it, server } = await integrationScene()
    const made = await server('a', { transport: 'stdio', endpoint: null, command: 'npx', env_json: '{"T":"x"}' })
    const at = `/integrations/${made.id}`
    expect((await it.call('OWNER', 'PATCH', at, { command: 'sh', env_json: '{"T":"********"}' })).body.code).toBe(
      'invalid_field',
    )
    expect((await it.call('OWNER', 'PATCH', at, { command: 'sh' })).body.env_json).toBeNull()
  })

  it('need an encryption key for variables', async () => {
    const { call } = await daemon({ withVault: false })
    expect((await call('OWNER', 'POST', '/integrations', draft)).status).toBe(201)
    expect(
      (await call('OWNER', 'POST', '/integrations', { ...draft, name: 'b', env_json: '{"A":"x"}' })).body,
    ).toMatchObject({
      status: 503,
      code: 'encryption_unavailable',
    })
  })
})

describe('integrations of a crew', () => {
  it('are added, listed, changed and deleted in their crew alone', async () => {
    const { it, crew, other } = await integrationScene()
    const at = `/crews/${crew}/integrations`
    const made = await it.call('MANAGER', 'POST', at, draft)
    expect(made).toMatchObject({
      status: 201,
      body: { crew_id: crew, workspace_mcp_server_id: null, auth_status: 'missing', agent_binding_count: 0 },
    })
    const { id } = made.body
    expect((await it.call('VIEWER', 'GET', at)).body).toEqual([made.body])
    expect((await it.call('VIEWER', 'GET', '/integrations')).body).toEqual([])
    expect((await it.call('VIEWER', 'GET', `/integrations/${id}`)).status).toBe(404)
    expect((await it.call('OWNER', 'PATCH', `/crews/${other}/integrations/${id}`, { icon: 'x' })).status).toBe(404)
    expect((await it.call('OWNER', 'DELETE', `/integrations/${id}`)).status).toBe(404)
    expect((await it.call('ADMIN', 'PATCH', `${at}/${id}`, { icon: 'x' })).body).toMatchObject({ id, icon: 'x' })
    expect((await it.call('VIEWER', 'GET', '/integrations/crews')).body).toMatchObject([
      { id, crew_id: crew, crew_name: 'Web', crew_slug: 'web', icon: 'x' },
    ])
    expect((await it.call('ADMIN', 'DELETE', `${at}/${id}`)).body).toEqual({ status: 'deleted' })
    expect((await it.call('VIEWER', 'GET', at)).body).toEqual([])
  })

  it('are made from one of the workspace, with its variables unless they run something else', async () => {
    const { crew, other, server } = await integrationScene()
    const base = await server('git', {
      transport: 'stdio',
      endpoint: null,
      command: 'npx',
      args_json: '["-y","git"]',
      env_json: '{"T":"x"}',
      display_name: 'Git',
    })
    const of = { workspace_mcp_server_id: base.id, endpoint: undefined }
    expect(await server('git', of, crew)).toMatchObject({
      workspace_mcp_server_id: base.id,
      transport: 'stdio',
      command: 'npx',
      args_json: '["-y","git"]',
      env_json: '{"T":"********"}',
      display_name: 'Git',
      auth_status: 'none',
    })
    expect(await server('git', { ...of, transport: 'stdio', command: 'sh' }, other)).toMatchObject({
      command: 'sh',
      args_json: null,
      env_json: null,
    })
    const wrong = { code: 'invalid_field', field: 'workspace_mcp_server_id' }
    expect(await server('x', { workspace_mcp_server_id: 'none' }, crew)).toMatchObject(wrong)
    const inOther = await server('y', {}, other)
    expect(await server('x', { workspace_mcp_server_id: inOther.id }, crew)).toMatchObject(wrong)
  })

  it('say how their credentials stand', async () => {
    const { it, crew, ada, bo, server, bind, credential } = await integrationScene()
    const made = await server('search', {}, crew)
    const status = async () => (await it.call('VIEWER', 'GET', `/crews/${crew}/integrations`)).body[0].auth_status
    await bind(ada, made)
    expect(await status()).toBe('missing')
    await bind(bo, made, { credential_id: await credential('short', { token_expires_at: '2026-01-02T00:00:00Z' }) })
    expect(await status()).toBe('connected')
    it.clock.advance(2 * 86_400_000)
    expect(await status()).toBe('expired')
  })

  it('end with their crew and with the workspace', async () => {
    const { it, crew, ada, server, bind } = await integrationScene()
    await bind(ada, await server('a', {}, crew))
    await server('b')
    await it.call('OWNER', 'DELETE', `/crews/${crew}`)
    const left = () => it.app.db.prepare<[], string>('SELECT name FROM mcp_servers').pluck().all()
    expect(left()).toEqual(['b'])
    expect(it.app.db.prepare('SELECT count(*) FROM agent_mcp_bindings').pluck().get()).toBe(0)
    const second = (await it.call('OWNER', 'POST', '/workspaces', { name: 'Other', slug: 'other-place' })).body.id
    const there = { ...it.person('OWNER'), workspace: second as string }
    await it.call(there, 'POST', '/integrations', draft)
    expect(left()).toEqual(['b', 'search'])
    await it.call(there, 'DELETE', `/workspaces/${second}`, { confirm_slug: 'other-place' })
    expect(left()).toEqual(['b'])
  })
})
