import { describe, expect, it } from 'vitest'
import { integrationScene, reasons } from '../../../support/integrations.ts'

describe('bindings of agents', () => {
  it('are made, listed, changed and ended', async () => {
    const { it, crew, ada, server, credential } = await integrationScene()
    const made = await server('search', {}, crew)
    const key = await credential('key')
    const at = `/agents/${ada}/integrations`
    const body = { mcp_server_id: made.id, mcp_server_scope: 'crew', credential_id: key }
    const bound = await it.call('OWNER', 'POST', at, body)
    expect(bound).toMatchObject({
      status: 201,
      body: {
        agent_id: ada,
        mcp_server_id: made.id,
        mcp_server_scope: 'crew',
        credential_id: key,
        cred_type: 'bearer',
        cred_header: null,
        env_var_name: null,
        enabled: true,
        config_override_json: null,
        server_name: 'search',
        server_display_name: 'search',
        credential_name: 'key',
      },
    })
    expect(await it.call('OWNER', 'POST', at, body)).toMatchObject({ status: 409, body: { code: 'already_assigned' } })
    const changes = { cred_type: 'api_key', cred_header: 'X-Api-Key', config_override_json: '{"timeout_seconds":5}' }
    expect(await it.call('MANAGER', 'PATCH', `${at}/${bound.body.id}`, changes)).toMatchObject({
      status: 200,
      body: { status: 'updated' },
    })
    expect((await it.call('VIEWER', 'GET', at)).body).toEqual([{ ...bound.body, ...changes }])
    expect((await it.call('MANAGER', 'PATCH', `${at}/${bound.body.id}`, {})).body.code).toBe('no_fields')
    expect((await it.call('MANAGER', 'DELETE', `${at}/${bound.body.id}`)).body).toEqual({ status: 'deleted' })
    expect((await it.call('MANAGER', 'DELETE', `${at}/${bound.body.id}`)).status).toBe(404)
    const { email } = it.person('OWNER')
    const said = it.entries().map(({ summary }) => summary)
    expect(said).toContain(`Ada was bound to integration "search" by ${email}`)
    expect(said).toContain(`What binds Ada to integration "search" was changed by ${it.person('MANAGER').email}`)
  })

  it('make a credential one that MCP servers are given, while they are switched on', async () => {
    const { it, ada, server, bind, credential } = await integrationScene()
    const key = await credential('key')
    const used = async () =>
      (await it.call('OWNER', 'GET', '/credentials')).body.map((row: { mcp_used: boolean }) => row.mcp_used)
    expect(await used()).toEqual([false])
    const bound = await bind(ada, await server('search'), { credential_id: key })
    expect(await used()).toEqual([true])
    await it.call('OWNER', 'PATCH', `/agents/${ada}/integrations/${bound.id}`, { enabled: false })
    expect(await used()).toEqual([false])
  })

  it('take a blank credential for none', async () => {
    const { it, ada, server, credential } = await integrationScene()
    const [first, second] = [await server('search'), await server('notes')]
    const at = `/agents/${ada}/integrations`
    const body = { mcp_server_id: first.id, mcp_server_scope: 'workspace', credential_id: '' }
    expect(await it.call('OWNER', 'POST', at, body)).toMatchObject({ status: 201, body: { credential_id: null } })
    const key = { ...body, mcp_server_id: second.id, credential_id: await credential('key') }
    const { id } = (await it.call('OWNER', 'POST', at, key)).body
    expect((await it.call('OWNER', 'PATCH', `${at}/${id}`, { credential_id: '' })).status).toBe(200)
    const rows = (await it.call('VIEWER', 'GET', at)).body as { credential_id: string | null }[]
    expect(rows.map(({ credential_id }) => credential_id)).toEqual([null, null])
  })

  it('refuse what the agent could not be given', async () => {
    const { it, crew, other, ada, server } = await integrationScene()
    const [mine, theirs, all] = [await server('a', {}, crew), await server('b', {}, other), await server('c')]
    const bind = async (id: string, scope: string, members: object = {}) =>
      (
        await it.call('OWNER', 'POST', `/agents/${ada}/integrations`, {
          mcp_server_id: id,
          mcp_server_scope: scope,
          ...members,
        })
      ).body
    const wrong = { status: 400, code: 'invalid_field', field: 'mcp_server_id' }
    for (const [id, scope] of [
      [theirs.id, 'crew'],
      [mine.id, 'workspace'],
      [all.id, 'crew'],
      ['none', 'workspace'],
    ])
      expect(await bind(id, scope!)).toMatchObject(wrong)
    const refused = async (members: object) => (await bind(all.id, 'workspace', members)).field
    expect(await refused({ credential_id: 'none' })).toBe('credential_id')
    expect(await refused({ cred_type: 'digest' })).toBe('cred_type')
    expect(await refused({ cred_header: 'Host' })).toBe('cred_header')
    expect(await refused({ cred_header: 'X A' })).toBe('cred_header')
    expect(await refused({ env_var_name: 'SVC_TOKEN' })).toBe('env_var_name')
    expect(await refused({ env_var_name: 'A-B' })).toBe('env_var_name')
    expect(await refused({ config_override_json: '{"endpoint":"x"}' })).toBe('config_override_json')
    expect(await refused({ config_override_json: '[' })).toBe('config_override_json')
  })

  it('give away a credential only by those who stored it, or ADMINs, and within its crews', async () => {
    const { it, crew, other, ada, server, credential } = await integrationScene()
    const made = await server('search')
    const bind = async (who: 'MANAGER' | 'ADMIN', credential_id: string) =>
      (
        await it.call(who, 'POST', `/agents/${ada}/integrations`, {
          mcp_server_id: made.id,
          mcp_server_scope: 'workspace',
          credential_id,
        })
      ).body
    const theirs = await credential('theirs')
    expect(await bind('MANAGER', theirs)).toMatchObject({ code: 'insufficient_role', field: 'credential_id' })
    const elsewhere = await credential('elsewhere', { scope: 'CREW', crew_ids: [other] })
    expect(await bind('ADMIN', elsewhere)).toMatchObject({ code: 'invalid_field', field: 'credential_id' })
    const member = it.person('MEMBER')
    await it.call('OWNER', 'POST', `/crews/${crew}/members`, { user_id: member.userId, role: 'ADMIN' })
    const at = `/agents/${ada}/integrations`
    const body = { mcp_server_id: made.id, mcp_server_scope: 'workspace' }
    expect((await it.call(member, 'POST', at, { ...body, credential_id: theirs })).body.code).toBe('insufficient_role')
    expect((await it.call(member, 'POST', at, body)).status).toBe(201)
    await it.call('OWNER', 'DELETE', `${at}/${(await it.call('VIEWER', 'GET', at)).body[0].id}`)
    const own = (await it.call('MANAGER', 'POST', '/credentials', { name: 'own', type: 'SECRET', value: 'x' })).body.id
    expect((await bind('MANAGER', own)).credential_id).toBe(own)
  })

  it('lose their credential when it is deleted, and when the server moves to another place', async () => {
    const { it, ada, server, bind, credential } = await integrationScene()
    const made = await server('search')
    const key = await credential('key')
    const binding = await bind(ada, made, { credential_id: key })
    const held = async () => (await it.call('VIEWER', 'GET', `/agents/${ada}/integrations`)).body[0].credential_id
    const move = (endpoint: string) => it.call('OWNER', 'PATCH', `/integrations/${made.id}`, { endpoint })
    await move('https://search.example/v2/mcp')
    expect(await held()).toBe(key)
    await move('https://elsewhere.example/mcp')
    expect(await held()).toBeNull()
    await it.call('OWNER', 'PATCH', `/agents/${ada}/integrations/${binding.id}`, { credential_id: key })
    expect(await held()).toBe(key)
    await it.call('OWNER', 'DELETE', `/credentials/${key}`)
    expect(await held()).toBeNull()
  })

  it('tell the name of a credential only to those who may see it', async () => {
    const { it, other, cy, server, bind, credential } = await integrationScene()
    const made = await server('search')
    await bind(cy, made, { credential_id: await credential('hidden', { scope: 'CREW', crew_ids: [other] }) })
    const name = async (who: 'VIEWER' | 'MANAGER') =>
      (await it.call(who, 'GET', `/agents/${cy}/integrations`)).body[0].credential_name
    expect([await name('VIEWER'), await name('MANAGER')]).toEqual([null, 'hidden'])
  })

  it('end with the agent', async () => {
    const { it, ada, bo, server, bind, resolved } = await integrationScene()
    const made = await server('search')
    await bind(ada, made)
    expect(await resolved(bo)).toEqual([])
    await it.call('OWNER', 'DELETE', `/agents/${ada}`)
    expect(reasons(await resolved(bo))).toEqual({ search: 'from workspace, open to all agents' })
  })
})
