import { describe, expect, it } from 'vitest'
import { json } from '../../../support/fake-server.ts'
import { managedScene } from '../../../support/managed-provider.ts'

type Scene = Awaited<ReturnType<typeof managedScene>>

const grant = ({ managed, ada }: Scene, body: object) => managed('ADMIN', 'POST', `/agents/${ada}/bind`, body)
const held = async ({ managed, ada }: Scene) => (await managed('VIEWER', 'GET', `/agents/${ada}/bind`)).body.bindings
const names = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name).sort()
const list = async ({ it: d }: Scene, path: string) => names(await d.call('OWNER', 'GET', path))

describe('what agents are given of managed integrations', () => {
  it('is a server, a credential and a binding for each toolkit, by the address of the user', async () => {
    const scene = await managedScene()
    const { it: d, ada, provider, resolved } = scene
    const { status, body } = await grant(scene, { user_id: 'ada' })
    expect(status).toBe(200)
    expect(body).toEqual({
      agent_id: ada,
      user_id: 'ada',
      apps: [
        { toolkit: 'board', mode: 'full', endpoint: `${provider.url}/v3/mcp/srv_1/mcp?user_id=ada` },
        { toolkit: 'mail', mode: 'full', endpoint: `${provider.url}/v3/mcp/srv_2/mcp?user_id=ada` },
      ],
    })
    expect(await list(scene, '/integrations')).toEqual([`managed-${ada}-board`, `managed-${ada}-mail`])
    expect(await list(scene, '/credentials')).toEqual([`managed-${ada}-board`, `managed-${ada}-mail`])
    expect((await d.call('VIEWER', 'GET', `/agents/${ada}/integrations`)).body).toMatchObject([
      { cred_type: 'api_key', cred_header: 'x-api-key', mcp_server_scope: 'workspace', enabled: true },
      { cred_type: 'api_key' },
    ])
    expect((await resolved(ada)).map(({ name }: { name: string }) => name)).toHaveLength(2)
    expect(await resolved(scene.bo)).toEqual([])
    expect([...provider.state.servers.values()][1]).toMatchObject({ auth_config_ids: ['ac_mail'] })
    expect(d.entries().at(-1)!.summary).toContain('was given "board", "mail" of user "ada"')
  })

  it('is nothing for empty apps, and everything where they are left out', async () => {
    const scene = await managedScene()
    await grant(scene, { user_id: 'ada' })
    expect((await grant(scene, { user_id: 'ada', apps: [] })).body.apps).toEqual([])
    expect(await held(scene)).toEqual([])
    expect(await list(scene, '/integrations')).toEqual([])
    expect(await list(scene, '/credentials')).toEqual([])
    expect((await grant(scene, { user_id: 'ada', toolkits: [] })).body.apps).toEqual([])
    expect((await grant(scene, { user_id: 'ada', apps: null })).body.apps).toHaveLength(2)
  })

  it('is narrowed to what only reads, or to tools that are named', async () => {
    const scene = await managedScene()
    await grant(scene, { user_id: 'ada', apps: [{ toolkit: 'MAIL', mode: 'read' }] })
    expect(await held(scene)).toMatchObject([
      { toolkit: 'mail', mode: 'read', tools: ['MAIL_FETCH_MESSAGES', 'MAIL_LIST_LABELS'] },
    ])
    const tools = ['MAIL_SEND_MESSAGE', 'NOT_THERE']
    await grant(scene, { user_id: 'ada', apps: [{ toolkit: 'mail', tools }] })
    expect(await held(scene)).toMatchObject([{ mode: 'custom', tools: ['MAIL_SEND_MESSAGE'] }])
    expect([...scene.provider.state.servers.values()].at(-1)).toMatchObject({ allowed_tools: ['MAIL_SEND_MESSAGE'] })
    for (const [app, field] of [
      [{ toolkit: 'mail', mode: 'all' }, 'apps.0.mode'],
      [{ toolkit: 'mail', mode: 'custom' }, 'apps.0.tools'],
      [{ toolkit: 'mail', mode: 'custom', tools: ['NOT_THERE'] }, 'apps.0.tools'],
      [{ toolkit: 'mail', mode: 'full', tools: ['X'] }, 'apps.0.tools'],
      [{ toolkit: 'board', mode: 'read' }, 'apps.0.mode'],
      [{ toolkit: 'other' }, 'apps.0'],
    ] as const)
      expect(await grant(scene, { user_id: 'ada', apps: [app] })).toMatchObject({ status: 400, body: { field } })
    expect((await grant(scene, { user_id: 'ada', toolkits: ['mail', 'Mail'] })).status).toBe(400)
    expect((await grant(scene, { user_id: 'nobody' })).status).toBe(404)
    expect((await scene.managed('ADMIN', 'POST', '/agents/none/bind', { user_id: 'ada' })).status).toBe(404)
    expect((await scene.managed('MANAGER', 'POST', `/agents/${scene.ada}/bind`, { user_id: 'ada' })).status).toBe(403)
  })

  it('stays as it was when a part of another one fails, at the provider too', async () => {
    const scene = await managedScene()
    const { provider } = scene
    await grant(scene, { user_id: 'ada', apps: [{ toolkit: 'mail', mode: 'read' }] })
    const [before, server] = [await held(scene), structuredClone(provider.state.servers.get('srv_1'))]
    let calls = 0
    provider.state.fault = {
      path: '/api/v3.1/mcp/servers',
      answer: (reply, { method }) => {
        calls++
        if (method === 'GET') return json(reply, { items: [] })
        return calls > 2 ? json(reply, { message: 'full' }, 507) : json(reply, { id: 'srv_9' })
      },
    }
    const failed = await grant(scene, { user_id: 'ada', apps: [{ toolkit: 'mail' }, { toolkit: 'board' }] })
    expect(failed).toMatchObject({ status: 502, body: { detail: expect.stringContaining('507: full') } })
    expect(await held(scene)).toEqual(before)
    expect(provider.state.servers.get('srv_1')).toEqual(server)
    expect(provider.seen.some(({ method }) => method === 'PATCH')).toBe(false)
  })

  it('is taken away by toolkit or as a whole, and goes with agent, server and workspace', async () => {
    const scene = await managedScene()
    const { it: d, ada, managed } = scene
    const none = await managed('ADMIN', 'DELETE', `/agents/${ada}/bind`)
    expect(none.status).toBe(404)
    await grant(scene, { user_id: 'ada' })
    expect((await managed('ADMIN', 'DELETE', `/agents/${ada}/bind?toolkit=mail`)).body).toEqual({ status: 'deleted' })
    expect(await list(scene, '/credentials')).toEqual([`managed-${ada}-board`])
    const [board] = (await d.call('OWNER', 'GET', '/integrations')).body
    expect((await d.call('OWNER', 'DELETE', `/integrations/${board.id}`)).status).toBe(200)
    expect(await held(scene)).toEqual([])
    expect(await list(scene, '/credentials')).toEqual([])
    await grant(scene, { user_id: 'ada' })
    expect((await d.call('OWNER', 'DELETE', `/agents/${ada}`)).status).toBeLessThan(300)
    expect(await list(scene, '/integrations')).toEqual([])
    expect(await list(scene, '/credentials')).toEqual([])
  })

  it('has a default connector for the only user, or the one that is named', async () => {
    const scene = await managedScene()
    const { it: d, managed, provider } = scene
    expect((await managed('ADMIN', 'PUT', '/default', {})).body).toMatchObject({ status: 400, field: 'user_id' })
    const set = (await managed('ADMIN', 'PUT', '/default', { user_id: 'ada' })).body
    expect(set).toMatchObject({ enabled_flag: true, default_user_id: 'ada', connected_user_count: 2 })
    expect((await managed('VIEWER', 'GET', '/default')).body).toEqual(set)
    expect((await d.call('VIEWER', 'GET', `/integrations/${set.default_mcp_server_id}`)).body.name).toBe(
      'managed-default',
    )
    expect((await managed('ADMIN', 'PUT', '/default', { user_id: 'nobody' })).status).toBe(400)
    provider.state.accounts = provider.state.accounts.slice(0, 1)
    expect((await managed('ADMIN', 'PUT', '/default')).body).toMatchObject({ default_user_id: 'zoe' })
    expect(await list(scene, '/integrations')).toEqual(['managed-default'])
    provider.state.accounts = []
    expect((await managed('ADMIN', 'PUT', '/default', {})).status).toBe(400)
  })
})
