import { describe, expect, it } from 'vitest'
import { agentById } from '../../../../daemon/features/agents/service.ts'
import { integrationCalled, integrationsOf } from '../../../../daemon/features/integrations/resolved/service.ts'
import { integrationScene, reasons } from '../../../support/integrations.ts'

describe('integrations that an agent may use', () => {
  it('are those of the workspace and of its crew, by name', async () => {
    const { crew, other, ada, cy, server, resolved } = await integrationScene()
    await server('b')
    await server('a')
    await server('c', {}, crew)
    await server('d', {}, other)
    expect(reasons(await resolved(ada))).toEqual({
      a: 'from workspace, open to all agents',
      b: 'from workspace, open to all agents',
      c: 'from crew, open to all agents',
    })
    expect((await resolved(cy)).map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'd'])
  })

  it('are replaced by one of the crew that has their name and is switched on', async () => {
    const { it, crew, ada, server, resolved } = await integrationScene()
    const general = await server('same')
    const own = await server('same', { display_name: 'Own' }, crew)
    expect(await resolved(ada)).toMatchObject([
      {
        server_id: own.id,
        scope: 'crew',
        name: 'same',
        display_name: 'Own',
        replaces: general.id,
        reason: "from crew in place of the workspace's, open to all agents",
        binding_id: null,
        credential_id: null,
        credential_name: null,
        enabled: true,
      },
    ])
    await it.call('OWNER', 'PATCH', `/crews/${crew}/integrations/${own.id}`, { enabled: false })
    expect(await resolved(ada)).toMatchObject([{ server_id: general.id, scope: 'workspace', replaces: null }])
    await it.call('OWNER', 'PATCH', `/integrations/${general.id}`, { enabled: false })
    expect(await resolved(ada)).toEqual([])
  })

  it('are for the agents that are bound to them, once one is', async () => {
    const { ada, bo, cy, server, bind, resolved } = await integrationScene()
    const made = await server('search')
    const bound = await bind(ada, made)
    expect(await resolved(ada)).toMatchObject([{ binding_id: bound.id, reason: 'from workspace, bound to the agent' }])
    expect([await resolved(bo), await resolved(cy)]).toEqual([[], []])
  })

  it('are taken away by a binding that is switched off', async () => {
    const { it, ada, bo, server, bind, resolved } = await integrationScene()
    const made = await server('search')
    const bound = await bind(ada, made, { enabled: false })
    await bind(bo, made)
    expect([await resolved(ada), (await resolved(bo)).length]).toEqual([[], 1])
    await it.call('OWNER', 'PATCH', `/agents/${ada}/integrations/${bound.id}`, { enabled: true })
    expect(await resolved(ada)).toHaveLength(1)
  })

  it('are used with the credential and the settings of the binding', async () => {
    const { crew, ada, server, bind, credential, resolved } = await integrationScene()
    const config_json = '{"headers":{"X-Team":"web"},"timeout_seconds":60}'
    const made = await server('search', { config_json }, crew)
    const key = await credential('key')
    await bind(ada, made, { credential_id: key, config_override_json: '{"timeout_seconds":5}' })
    expect(await resolved(ada)).toMatchObject([
      {
        credential_id: key,
        credential_name: 'key',
        config_json: '{"headers":{"X-Team":"web"},"timeout_seconds":5}',
        reason: "from crew, agent's credential, agent's settings",
      },
    ])
  })

  it('are those of the new crew when the agent moves', async () => {
    const { it, crew, other, ada, server, bind, resolved } = await integrationScene()
    await bind(ada, await server('old', {}, crew))
    await server('new', {}, other)
    await it.call('OWNER', 'PATCH', `/agents/${ada}`, { crew_id: other })
    expect(reasons(await resolved(ada))).toEqual({ new: 'from crew, open to all agents' })
  })

  it('are found by name as they are listed', async () => {
    const { it, crew, other, ada, bo, cy, server, bind } = await integrationScene()
    const [both, , off] = [await server('both'), await server('both', {}, crew), await server('off', {}, other)]
    await server('open')
    await bind(cy, off, { enabled: false })
    await bind(ada, both)
    await bind(bo, await server('bos'))
    await server('dark', { enabled: false }, crew)
    for (const id of [ada, bo, cy]) {
      const agent = agentById(it.app, id)!
      const listed = integrationsOf(it.app, agent)
      for (const name of ['both', 'off', 'open', 'bos', 'dark', 'absent', 'OPEN'])
        expect(integrationCalled(it.app, agent, name)).toEqual(listed.find((one) => one.server.name === name))
    }
  })
})
